import type { Pool } from '@ratchet/db/connect-pool'
import type {
  DatasetStore,
  FrozenContent,
  NewDataset,
  StoredDataset,
  StoredExample,
} from '../domain/datasets/dataset-store.ts'
import { datasetStatements as statements } from './dataset-statements.ts'
import { createRunRead } from './run-read.ts'

interface DatasetRow {
  readonly id: string
  readonly workspace_id: string
  readonly name: string
  readonly description: string | null
  readonly kind: StoredDataset['kind']
  readonly sibling_id: string | null
  readonly source: StoredDataset['source']
  readonly example_count: number
  readonly token_count_estimate: string
  readonly size_bytes: string
  readonly sha256: string
  readonly segments: string[]
  readonly filters: string
  readonly criterion_id: string | null
  readonly holdout_pct: number | null
  readonly created_by: string
  readonly created_at: Date
}

interface ExampleRow {
  readonly position: number
  readonly line: string
  readonly sha256: string
  readonly source_exchange_id: string | null
  readonly folded_turns: number
}

/** Hours after which a dataset that nobody finished is taken to be abandoned. */
const abandonedAfterHours = 6

/** Datasets in Postgres. */
export function createPgDatasets(pool: Pool): DatasetStore {
  const run = createRunRead(pool)
  return {
    async begin(dataset) {
      await run(statements.sweep, [dataset.createdAt, abandonedAfterHours])
      await run(statements.begin, valuesOf(dataset))
    },
    async append(datasetId, examples) {
      await run(statements.append, [datasetId, ...columnsOf(examples)])
    },
    async freeze(contents, at) {
      await run(statements.freeze, [JSON.stringify(contents.map(frozenRow)), at])
    },
    async get({ workspaceId, id }) {
      const [row] = await run<DatasetRow>(statements.get, [workspaceId, id])
      return row === undefined ? null : toDataset(row)
    },
    async list({ workspaceId, name, segment, kind, limit, offset }) {
      const chosen = [workspaceId, name ?? null, segment ?? null, kind ?? null]
      const [counted] = await run<{ total: number }>(statements.count, chosen)
      const rows = await run<DatasetRow>(statements.list, [...chosen, limit, offset])
      return { total: counted?.total ?? 0, datasets: rows.map(toDataset) }
    },
    async examples(datasetId, { limit, offset }) {
      const rows = await run<ExampleRow>(statements.examples, [datasetId, offset, offset + limit])
      return rows.map(toExample)
    },
    async rename({ workspaceId, id }, { name, description }) {
      const values = [workspaceId, id, name ?? null, description !== undefined, description ?? null]
      return (await run(statements.rename, values)).length === 1
    },
    async delete({ workspaceId, id }) {
      return (await run(statements.delete, [workspaceId, id])).length === 1
    },
  }
}

function valuesOf(dataset: NewDataset): unknown[] {
  const { id, workspaceId, name, description, kind, source, filters, criterionId, holdoutPct } = dataset
  const { createdBy, createdAt } = dataset
  const what = [id, workspaceId, name, description, kind, source, JSON.stringify(filters), criterionId, holdoutPct]
  return [...what, createdBy, createdAt]
}

function columnsOf(examples: readonly StoredExample[]): readonly unknown[][] {
  return [
    examples.map(({ position }) => position),
    examples.map(({ line }) => line),
    examples.map(({ sha256 }) => sha256),
    examples.map(({ sourceExchangeId }) => sourceExchangeId),
    examples.map(({ foldedTurns }) => foldedTurns),
  ]
}

function frozenRow(content: FrozenContent) {
  const { id, name, description, siblingId, exampleCount, tokenCountEstimate, sizeBytes, sha256, segments } = content
  return {
    id,
    name,
    description,
    sibling_id: siblingId,
    example_count: exampleCount,
    size_bytes: sizeBytes,
    token_count_estimate: tokenCountEstimate,
    sha256,
    segments,
  }
}

function toDataset(row: DatasetRow): StoredDataset {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    kind: row.kind,
    siblingId: row.sibling_id,
    source: row.source,
    exampleCount: row.example_count,
    tokenCountEstimate: Number(row.token_count_estimate),
    sizeBytes: Number(row.size_bytes),
    sha256: row.sha256,
    segments: row.segments,
    filters: JSON.parse(row.filters),
    criterionId: row.criterion_id,
    holdoutPct: row.holdout_pct,
    createdBy: row.created_by,
    createdAt: row.created_at,
  }
}

function toExample(row: ExampleRow): StoredExample {
  return {
    position: row.position,
    line: row.line,
    sha256: row.sha256,
    sourceExchangeId: row.source_exchange_id,
    foldedTurns: row.folded_turns,
  }
}
