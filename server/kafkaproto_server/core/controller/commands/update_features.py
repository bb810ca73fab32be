"""UpdateFeatures (57, v0-2): raises and lowers the finalized levels of features (KIP-584, KIP-1022).

Either all features of a request are updated or none. The checks, in order: the upgrade type is known; the level is not
negative, and this controller, every registered broker and controller, and (from metadata.version 3.7-IV0 on, while it
counts) every statically configured voter supports it; a lower level needs an allowed downgrade, a higher one an
upgrade; for metadata.version no level in between changed the records, for other features the features that they need
are there. A level that is in force already is recorded again.

The quorum keeps kraft.version: the controller asks it after all other checks, and the level cannot be lowered.

Turning ELR on (KIP-966) gives the cluster its own min.insync.replicas and removes those of brokers, so that every
controller knows the same value.

In version 0 only the levels count. As in Apache Kafka's controllers, its permission to downgrade is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kafkaproto.error_codes import ErrorCode
from kafkaproto.message import Message
from kafkaproto.messages import (
    ConfigRecord,
    FeatureLevelRecord,
    UpdateFeaturesRequest,
    UpdateFeaturesResponse,
)
from kafkaproto_server.base.later import Steps
from kafkaproto_server.config.layers import NodeConfigs
from kafkaproto_server.core.controller.partitions.broker_changes import changes_without_old_elr
from kafkaproto_server.core.controller.values.command import ApiError, CommandResult, Situation
from kafkaproto_server.core.controller.values.topic_configs import CLUSTER_DEFAULT, MIN_INSYNC_REPLICAS
from kafkaproto_server.metadata.features import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    KRAFT_VERSION,
    METADATA_VERSION,
    METADATA_VERSIONS,
    dependencies,
    supported_ranges,
)
from kafkaproto_server.metadata.image.entries import BROKER_RESOURCE, FeatureRange
from kafkaproto_server.metadata.image.records import CONTROLLER_REGISTRATION_LEVEL

_UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE = 1, 2, 3

_LAST_VERSION_WITH_RESULTS = 1
_SUCCESS_TEXT = "NONE"
"""Kafka's message for a feature that was updated."""

_Update = UpdateFeaturesRequest.FeatureUpdateKey


def update_features(situation: Situation, request: UpdateFeaturesRequest) -> Steps[CommandResult]:
    """Update all features of the request; raises ApiError (INVALID_UPDATE_VERSION) if one of them cannot be updated."""
    updates = {update.feature: update for update in request.feature_updates}
    # The levels after the request: metadata.version and a feature that needs it may be raised
    # together.
    levels = {**situation.image.features, **{name: each.max_version_level for name, each in updates.items()}}
    for update in updates.values():
        # All checks come before the first record and before the quorum is asked: kraft.version
        # cannot be lowered again if another feature is refused.
        _check_update(situation, update, levels)
        yield
    raised = updates.get(KRAFT_VERSION)
    response = _success(request, situation.version)
    if raised is not None and raised.max_version_level > situation.kraft_version:
        return CommandResult(
            response=response, kraft_version=raised.max_version_level, validate_only=request.validate_only
        )
    records: list[Message] = []
    # In the order of the request: replay does not mind, and the log shows what was asked.
    for name, update in updates.items():
        if name == ELIGIBLE_LEADER_REPLICAS_VERSION and update.max_version_level > 0:
            records += yield from _elr_configs(situation)
            if not situation.image.elr_enabled:
                # While ELR was off, min.insync.replicas may have changed, and more may be acknowledged than these
                # replicas have.
                records += yield from changes_without_old_elr(situation.image)
        # The quorum writes this level as the control record KRAFT_VERSION, because the Raft layer
        # needs it without an image. It is never a FeatureLevelRecord.
        if name != KRAFT_VERSION:
            assert update.max_version_level >= 0, f"the level of {name} was checked"
            records.append(FeatureLevelRecord(name=name, feature_level=update.max_version_level))
    return CommandResult(response=response, records=() if request.validate_only else records)


def _success(request: UpdateFeaturesRequest, version: int) -> UpdateFeaturesResponse:
    response = UpdateFeaturesResponse(error_message=None)
    if version <= _LAST_VERSION_WITH_RESULTS:
        response.results = [
            UpdateFeaturesResponse.UpdatableFeatureResult(feature=update.feature, error_message=_SUCCESS_TEXT)
            for update in request.feature_updates
        ]
    return response


def _check_update(situation: Situation, update: _Update, levels: Mapping[str, int]) -> None:
    """Raise ApiError unless the update is allowed; ``levels`` are all levels after the whole request."""
    name, level = update.feature, update.max_version_level
    if update.upgrade_type not in (_UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE):
        raise _invalid(
            update,
            f"upgrade type {update.upgrade_type} is none of 1 (upgrade), 2 (safe downgrade), 3 (unsafe downgrade)",
        )
    # The wire has the level signed.
    if level < 0:
        raise _invalid(update, "a level is 0 or more")
    problem = next(_who_does_not_support(situation, name, level), None)
    if problem is not None:
        raise _invalid(update, problem)
    # The quorum keeps kraft.version; no image has it (KIP-853).
    present = situation.kraft_version if name == KRAFT_VERSION else situation.image.features.get(name, 0)
    if level < present:
        _check_downgrade(update, present)
    elif level > present and update.upgrade_type != _UPGRADE:
        raise _invalid(update, f"that is above its level {present}, and a downgrade was asked for")
    if name not in (METADATA_VERSION, KRAFT_VERSION):
        for needed, needed_level in dependencies(name, level).items():
            if levels.get(needed, 0) < needed_level:
                raise _invalid(update, f"it needs {needed} at level {needed_level} or above")


def _who_does_not_support(situation: Situation, name: str, level: int) -> Iterator[str]:
    """All nodes that do not support the level, in words."""
    image = situation.image
    known = supported_ranges().get(name)
    if known is None:
        yield f"controller {situation.node_id} does not know the feature"
        return
    if not known[0] <= level <= known[1]:
        yield f"controller {situation.node_id} supports {known[0]} to {known[1]}"
    # Fenced brokers count, too: one that comes back with a level that it does not support could not
    # read the log.
    for broker in image.brokers_in_order():
        if not _is_supported(broker.features, name, level):
            yield f"broker {broker.broker_id} supports {_range_text(broker.features, name)}"
    for controller in image.controllers_in_order():
        if not _is_supported(controller.features, name, level):
            yield f"controller {controller.controller_id} supports {_range_text(controller.features, name)}"
    # controller.quorum.voters counts only while kraft.version is 0. A static voter that has not
    # registered (KIP-919) may support less than this level.
    if situation.kraft_version == 0 and image.metadata_version >= CONTROLLER_REGISTRATION_LEVEL:
        for voter_id in situation.config.static_voter_ids:
            if voter_id != situation.node_id and voter_id not in image.controllers:
                yield f"controller {voter_id} has not registered, so that nobody knows what it supports"


def _range_of(features: Sequence[FeatureRange], name: str) -> tuple[int, int]:
    """The levels that a node supports; it supports only level 0 of a feature that it does not name."""
    return next(((each.min_level, each.max_level) for each in features if each.name == name), (0, 0))


def _is_supported(features: Sequence[FeatureRange], name: str, level: int) -> bool:
    low, high = _range_of(features, name)
    return low <= level <= high


def _range_text(features: Sequence[FeatureRange], name: str) -> str:
    low, high = _range_of(features, name)
    return f"{low} to {high}"


def _check_downgrade(update: _Update, present: int) -> None:
    name, level = update.feature, update.max_version_level
    if update.upgrade_type == _UPGRADE:
        raise _invalid(update, f"that is below its level {present}, and no downgrade was allowed")
    if name == KRAFT_VERSION:
        raise _invalid(update, "it cannot be lowered")
    if name == METADATA_VERSION:
        # Kafka refuses this for unsafe downgrades, too: nothing removes the newer fields from the
        # log and its snapshots.
        lossy = [
            str(each) for each in METADATA_VERSIONS if level < each.level <= present and each.changes_metadata
        ]
        if lossy:
            raise _invalid(
                update, f"the metadata may hold what came with {', '.join(lossy)} and would be lost"
            )


def _invalid(update: _Update, reason: str) -> ApiError:
    return ApiError(
        ErrorCode.INVALID_UPDATE_VERSION,
        f"No feature was updated: {update.feature!r} cannot be set to level {update.max_version_level}: {reason}.",
    )


def _elr_configs(situation: Situation) -> Steps[list[ConfigRecord]]:
    """Records that give min.insync.replicas one value for the whole cluster, if ELR is not on yet."""
    image = situation.image
    records: list[ConfigRecord] = []
    if image.elr_enabled:
        return records
    if MIN_INSYNC_REPLICAS not in image.config(BROKER_RESOURCE, CLUSTER_DEFAULT):
        value = NodeConfigs(static=situation.config.static_config).value_of(MIN_INSYNC_REPLICAS)
        records.append(_min_insync_replicas(CLUSTER_DEFAULT, value))
    names = []
    for (resource_type, name), values in image.configs.items():
        is_broker = resource_type == BROKER_RESOURCE and name != CLUSTER_DEFAULT
        if is_broker and MIN_INSYNC_REPLICAS in values:
            # The ELR of a partition must not depend on which controller is active, so no node keeps
            # a value of its own.
            names.append(name)
        yield
    records += [_min_insync_replicas(name, None) for name in sorted(names)]
    return records


def _min_insync_replicas(broker: str, value: str | None) -> ConfigRecord:
    return ConfigRecord(
        resource_type=BROKER_RESOURCE, resource_name=broker, name=MIN_INSYNC_REPLICAS, value=value
    )
