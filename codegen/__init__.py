"""The generator: reads message schemas in Kafka's JSON grammar, writes Python codecs.

The stages: parse -> typed model -> resolve for a version -> text. The generator needs only the standard library (its
command line also click) and imports nothing of ours, so that it runs while ``kafkaproto/generated`` is empty.
"""
