import { randomUUID } from 'node:crypto'
import type { NewJob } from './job.ts'
import { readBody } from './read-body.ts'
import { hyperparametersOf, planOf } from './resolve-settings.ts'

/** A job of a hundred examples with a thousand tokens each, at a dollar per million tokens. */
export function newJob(more: Partial<NewJob> = {}): NewJob {
  const request = readBody({ model: 'sim/small', datasetId: 'ds_00000000000070008000000000000001' }).request
  const hyperparameters = hyperparametersOf(request, { loraRanks: [8, 32], maxContext: 8_192 }, 100)
  return {
    id: randomUUID(),
    workspaceId: randomUUID(),
    baseModel: 'sim/small',
    method: 'supervised',
    trainer: 'sim',
    seed: 7,
    request,
    settings: {
      base_model: { id: 'sim/small', source: 'sim/small', sha256: null, chat_template_sha256: null },
      hyperparameters,
      plan: planOf(request, hyperparameters, { examples: 100, tokens: 100_000 }),
    },
    datasetId: '00000000-0000-7000-8000-000000000001',
    trainingFile: null,
    evalDatasetId: null,
    validationFile: null,
    priceNanoPerMtok: 1_000_000_000n,
    totalTokens: 300_000n,
    estimatedCostNano: 300_000_000n,
    maxCostNano: null,
    heldNano: 345_000_000n,
    warmStartId: null,
    createdBy: randomUUID(),
    createdAt: new Date('2026-12-01T12:00:00Z'),
    ...more,
  }
}
