-- Routing keys are unique in their workspace: a key that another workspace has, or had, is not to be told from one that is free.
ALTER TABLE "dedicated_key" DROP CONSTRAINT "dedicated_key_pkey",
  ADD CONSTRAINT "dedicated_key_pkey" PRIMARY KEY ("workspace_id", "routing_key");
ALTER TABLE "dedicated_adapter" DROP CONSTRAINT "dedicated_adapter_pkey",
  ADD CONSTRAINT "dedicated_adapter_pkey" PRIMARY KEY ("workspace_id", "routing_key");
CREATE UNIQUE INDEX "dedicated_endpoint_own_key" ON "dedicated_endpoint"("workspace_id", "routing_key");
DROP INDEX "dedicated_endpoint_key_key";
