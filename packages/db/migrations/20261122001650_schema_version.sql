-- A service waits at its start for the migrations that it needs, so it may read which ones are applied.
-- Prisma's shadow database does not have this table.
DO $$
BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    GRANT SELECT ("migration_name", "finished_at") ON "_prisma_migrations" TO PUBLIC;
  END IF;
END
$$;
