"""The response to a request that is refused as a whole: the same error for everything that it asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafkaproto.api import api_by_key
from kafkaproto.error_codes import ErrorCode, describe
from kafkaproto.message import Message
from kafkaproto.messages import (
    DescribeClientQuotasResponse,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    MetadataRequest,
    MetadataResponse,
)
from kafkaproto_server.controller.command import ApiError
from kafkaproto_server.controller.table import COMMANDS


def refuse(request: Message, code: ErrorCode, message: str | None, version: int) -> Message:
    """A response, of a version, that says the same error for everything in a request.

    ``message`` is None for the error's own words. Where the request names nothing and the response has no error of
    its own, it says none.
    """
    message = describe(code).message if message is None else message
    assert request.API_KEY is not None, f"{request.NAME} is no request"
    if request.API_KEY in COMMANDS:
        return COMMANDS[request.API_KEY].refusal(request, ApiError(code, message), version)
    if request.API_KEY in _EACH:
        return _EACH[request.API_KEY](request, code, message)
    api = api_by_key(request.API_KEY)
    assert api is not None, f"{request.NAME} has no response"
    response: Any = api.response_class()
    response.error_code = code
    if hasattr(response, "error_message"):
        response.error_message = message
    if isinstance(response, DescribeClientQuotasResponse):
        # Null is how Kafka tells "not told" from "none".
        response.entries = None
    assert isinstance(response, Message)
    return response


def _each_config(request: DescribeConfigsRequest, code: ErrorCode, message: str) -> Message:
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResponse.DescribeConfigsResult(
                error_code=code,
                error_message=message,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
            )
            for resource in request.resources
        ]
    )


def _each_topic(request: MetadataRequest, code: ErrorCode, message: str) -> Message:
    # The version that has an error of its own keeps it for failures of the whole; older ones ignore it.
    return MetadataResponse(
        error_code=code,
        topics=[
            MetadataResponse.Topic(error_code=code, name=topic.name, topic_id=topic.topic_id)
            for topic in request.topics or ()
        ],
    )


def _each_described_topic(request: DescribeTopicPartitionsRequest, code: ErrorCode, message: str) -> Message:
    return DescribeTopicPartitionsResponse(
        topics=[
            DescribeTopicPartitionsResponse.Topic(error_code=code, name=topic.name)
            for topic in request.topics
        ]
    )


_EACH: Mapping[int | None, Callable[[Any, ErrorCode, str], Message]] = {
    DescribeConfigsRequest.API_KEY: _each_config,
    DescribeTopicPartitionsRequest.API_KEY: _each_described_topic,
    MetadataRequest.API_KEY: _each_topic,
}
"""What is no command of the controller and has its errors beside each thing that was asked for."""
