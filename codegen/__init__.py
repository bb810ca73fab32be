"""The generator: message schemas in Kafka's JSON grammar in, Python codecs out.

parse -> typed model -> resolve for a version -> text. Standard library only (the command line uses click), and
nothing of ours is imported, so that it runs while ``kafkaproto/generated`` is empty.
"""
