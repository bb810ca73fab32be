"""`python -m kafkaproto_pipeline.synthetic DIRECTORY`: writes a synthetic history."""

from kafkaproto_pipeline.synthetic.command_line import main

if __name__ == "__main__":
    main()
