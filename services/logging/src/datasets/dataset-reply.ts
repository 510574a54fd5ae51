import type { Dataset, DatasetCuration, DatasetExample } from '@ratchet/contracts/datasets'
import type { DatasetPreview } from '@ratchet/contracts/log-overview'
import { publicId } from '@ratchet/contracts/public-id'
import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { logIdOf } from '../logs/log-id.ts'
import type { Redaction } from '../redaction/redact-exchange.ts'
import { type CurationSummary, type DropReason, dropReasons } from './curate.ts'
import type { CuratedDatasets } from './curate-from-logs.ts'
import type { StoredDataset, StoredExample } from './dataset.ts'
import type { TrainingExample } from './example-line.ts'
import type { ImportedDataset } from './import-dataset.ts'
import type { Message } from './stored-exchange.ts'

/** Exchanges of the log were redacted when they were stored. */
const nothingRedacted = { count: 0, kinds: [] }

/** The reply to a curation. */
export function curationReply(
  { dataset, evalDataset, summary, warnings }: Omit<CuratedDatasets, 'droppedIds'>,
  { count, kinds }: Redaction = nothingRedacted,
): DatasetCuration {
  return {
    object: 'dataset.curation',
    dataset: dataset === null ? null : datasetReply(dataset),
    eval_dataset: evalDataset === null ? null : datasetReply(evalDataset),
    summary,
    redaction: { count, kinds: [...kinds] },
    warnings: [...warnings],
  }
}

/** The reply to a preview: also which exchanges were dropped. */
export function previewReply(curated: CuratedDatasets): DatasetPreview {
  const ids = Object.entries(curated.droppedIds).map(([reason, some]) => [reason, some.map(logIdOf)])
  return { ...curationReply(curated), dropped_log_ids: Object.fromEntries(ids) as DatasetPreview['dropped_log_ids'] }
}

/** The reply to an upload, which has the shape of a curation that drops nothing. */
export function uploadReply({ dataset, redaction }: ImportedDataset): DatasetCuration {
  const count = dataset.exampleCount
  const dropped = Object.fromEntries(dropReasons.map((reason) => [reason, 0])) as Record<DropReason, number>
  const folding = { folded_conversations: 0, folded_turns: 0 }
  const summary: CurationSummary = {
    matched: count,
    kept: count,
    dropped,
    ...folding,
    train_count: count,
    eval_count: 0,
    leakage: null,
  }
  return curationReply({ dataset, evalDataset: null, summary, warnings: [] }, redaction)
}

/** A dataset as the API returns it. */
export function datasetReply(dataset: StoredDataset): Dataset {
  const { segments, siblingId } = dataset
  const [onlySegment = null] = segments.length === 1 ? segments : []
  return {
    object: 'dataset',
    id: publicId('dataset', dataset.id),
    name: dataset.name,
    description: dataset.description,
    kind: dataset.kind,
    sibling_id: siblingId === null ? null : publicId('dataset', siblingId),
    source: dataset.source,
    format: dataset.format,
    status: dataset.building.status,
    status_message: dataset.building.message,
    progress: dataset.building.progress,
    example_count: dataset.exampleCount,
    token_count_estimate: dataset.tokenCountEstimate,
    sha256: dataset.sha256,
    segment: onlySegment,
    segments: [...segments],
    filters: JSON.parse(JSON.stringify(dataset.filters)),
    criterion_id: dataset.criterionId,
    holdout_pct: dataset.holdoutPct,
    size_bytes: dataset.sizeBytes,
    created_by: dataset.createdBy,
    created_at: dataset.createdAt.toISOString(),
  }
}

export function exampleReply(example: StoredExample): DatasetExample {
  const { messages, tools = null, other } = readLine(example.line)
  return {
    index: example.position,
    messages: [...messages],
    non_preferred_output: other === null ? null : [...other],
    tools: tools === null ? null : [...tools],
    sha256: example.sha256,
    source_log_id: example.sourceExchangeId === null ? null : logIdOf(example.sourceExchangeId),
    folded_turns: example.foldedTurns,
  }
}

/** The conversation of a line; of a pair, with the preferred answer. */
function readLine(line: string): TrainingExample & { readonly other: readonly Message[] | null } {
  const value = parseExact(line) as TrainingExample | PairLine
  if (!('input' in value)) return { ...value, other: null }
  const { input, preferred_output: preferred, non_preferred_output: other } = value
  return { messages: [...input.messages, ...preferred], tools: input.tools, other }
}

interface PairLine {
  readonly input: TrainingExample
  readonly preferred_output: readonly Message[]
  readonly non_preferred_output: readonly Message[]
}
