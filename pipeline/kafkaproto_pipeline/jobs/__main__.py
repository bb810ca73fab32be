"""``python -m kafkaproto_pipeline.jobs``; also the file to give to spark-submit."""

from kafkaproto_pipeline.jobs.entry import run

if __name__ == "__main__":
    run()
