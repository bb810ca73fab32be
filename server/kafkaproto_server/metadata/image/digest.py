"""A digest of an image's content, equal on every node that holds the same metadata."""

from __future__ import annotations

import hashlib

from kafkaproto.records.metadata import encode_metadata_record
from kafkaproto_server.metadata.image.image import ClusterImage
from kafkaproto_server.metadata.image.snapshot import image_records

_LENGTH_BYTES = 4


def digest(image: ClusterImage) -> bytes:
    """SHA-256 (32 bytes) over the records of the image's snapshot, each with its length before it.

    The image's offset, epoch and timestamp are left out: images with the same content at two offsets have one digest.
    """
    sha = hashlib.sha256()
    # Records and not fields of the image: what a snapshot does not hold may differ between nodes
    # with the same metadata.
    for record, version in image_records(image):
        value = encode_metadata_record(record, version)
        # Without lengths, two lists of records whose bytes join to the same string would have one
        # digest.
        sha.update(len(value).to_bytes(_LENGTH_BYTES, "big"))
        sha.update(value)
    return sha.digest()
