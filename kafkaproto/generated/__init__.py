"""Codecs generated from messages/; `kafkaproto.messages` is the door to them."""
