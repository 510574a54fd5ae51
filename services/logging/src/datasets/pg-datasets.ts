import type { DatasetProgress, DatasetStatus } from '@ratchet/contracts/dataset-progress'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import { createRunRead } from '../exchanges/pg-run-read.ts'
import type {
  Building,
  DatasetKey,
  DatasetQuery,
  FrozenContent,
  NewDataset,
  Page,
  Renaming,
  StoredDataset,
  StoredExample,
} from './dataset.ts'
import { datasetStatements as statements } from './pg-dataset-statements.ts'

type Owner = Pick<DatasetKey, 'workspaceId'>

type DatasetRow = Omit<Row<'dataset'>, 'frozen_at'>

type ExampleRow = Pick<Row<'datasetExample'>, 'position' | 'line' | 'sha256' | 'source_exchange_id' | 'folded_turns'>

export type DatasetStore = ReturnType<typeof createPgDatasets>

/** Datasets in Postgres. */
export function createPgDatasets(pool: Pool, places?: FairPlaces) {
  const runOf = createRunRead(pool, places)
  return {
    /** Begins a dataset, which is invisible until it is frozen. */
    async begin(dataset: NewDataset): Promise<void> {
      await runOf(dataset.workspaceId)(statements.begin, valuesOf(dataset))
    },
    /** Shows a dataset that is being built. Nothing changes when it exists. */
    async announce(dataset: NewDataset, progress: DatasetProgress): Promise<void> {
      await runOf(dataset.workspaceId)(statements.announce, [...valuesOf(dataset), JSON.stringify(progress)])
    },
    /** Says how far a dataset is, or that it failed. Nothing changes when it is not being built. */
    async report({ workspaceId, id }: DatasetKey, { progress, message, status }: Building): Promise<void> {
      const values = [workspaceId, id, JSON.stringify(progress), message, status === 'failed']
      await runOf(workspaceId)(statements.report, values)
    },
    /** Deletes what was stored of a dataset that is being built. */
    async clear({ workspaceId, id }: DatasetKey): Promise<void> {
      await runOf(workspaceId)(statements.clear, [workspaceId, id])
    },
    /** Stores examples and counts their bytes. @throws ServiceError `quota_exceeded` */
    async append({ workspaceId, id }: DatasetKey, examples: readonly StoredExample[]): Promise<void> {
      await withinQuota(() => runOf(workspaceId)(statements.append, [id, ...columnsOf(examples), workspaceId]))
    },
    /** Makes datasets visible, all at once. Their contents cannot change afterwards. */
    async freeze({ workspaceId }: Owner, contents: readonly FrozenContent[], at: Date): Promise<void> {
      // The size of a dataset is a little larger than that of its lines.
      await withinQuota(() => runOf(workspaceId)(statements.freeze, [JSON.stringify(contents.map(frozenRow)), at]))
    },
    async get({ workspaceId, id }: DatasetKey): Promise<StoredDataset | null> {
      const [row] = await runOf(workspaceId)<DatasetRow>(statements.get, [workspaceId, id])
      return row === undefined ? null : toDataset(row)
    },
    /** Datasets, the newest first. */
    async list({ workspaceId, name, segment, kind, limit, offset }: DatasetQuery) {
      const run = runOf(workspaceId)
      const chosen = [workspaceId, name ?? null, segment ?? null, kind ?? null]
      const [counted] = await run<{ total: number }>(statements.count, chosen)
      const rows = await run<DatasetRow>(statements.list, [...chosen, limit, offset])
      return { total: counted?.total ?? 0, datasets: rows.map(toDataset) }
    },
    /** The examples of a page, in order. */
    async examples({ workspaceId, id }: DatasetKey, { limit, offset }: Page): Promise<readonly StoredExample[]> {
      const rows = await runOf(workspaceId)<ExampleRow>(statements.examples, [id, offset, offset + limit])
      return rows.map(toExample)
    },
    async rename({ workspaceId, id }: DatasetKey, { name, description }: Renaming): Promise<boolean> {
      const values = [workspaceId, id, name ?? null, description !== undefined, description ?? null]
      return (await runOf(workspaceId)(statements.rename, values)).length === 1
    },
    /** Deletes a dataset, also an unfinished one. */
    async delete({ workspaceId, id }: DatasetKey): Promise<boolean> {
      return (await runOf(workspaceId)(statements.delete, [workspaceId, id])).length === 1
    },
  }
}

function valuesOf(dataset: NewDataset): unknown[] {
  const { id, workspaceId, name, description, kind, source, filters, criterionId, holdoutPct } = dataset
  const { createdBy, createdAt, format } = dataset
  const what = [id, workspaceId, name, description, kind, source, JSON.stringify(filters), criterionId, holdoutPct]
  return [...what, createdBy, createdAt, format]
}

function columnsOf(examples: readonly StoredExample[]): readonly unknown[] {
  return [
    examples.map(({ position }) => position),
    // Lines have no line end. As an array, each quotation mark of a long one would be escaped, which takes a second of the process.
    examples.map(({ line }) => line).join('\n'),
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
    format: row.format as StoredDataset['format'],
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
    building: {
      status: row.status as DatasetStatus,
      message: row.status_message,
      progress: row.progress === null ? null : JSON.parse(row.progress),
    },
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
