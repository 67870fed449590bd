"""The referee and the service: rules, referee, journal, pages and the `boardref` command."""
