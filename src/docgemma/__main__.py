"""`python -m docgemma`."""

from docgemma.cli.main import main

if __name__ == "__main__":
    main()
