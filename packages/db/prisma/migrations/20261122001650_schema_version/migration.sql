-- A service waits at its start until the schema is the one it needs, so it may look which migrations are applied.
-- A shadow database has no such table.
DO $$
BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    GRANT SELECT ("migration_name", "finished_at") ON "_prisma_migrations" TO PUBLIC;
  END IF;
END
$$;
