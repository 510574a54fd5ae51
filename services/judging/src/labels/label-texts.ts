import { type GradedList, Label } from '@ratchet/contracts/labels'
import { maxTotal } from '@ratchet/contracts/log-filters'
import { publicId } from '@ratchet/contracts/public-id'
import type { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { GradeOutcome } from './add-grades.ts'
import type { StoredLabel } from './label.ts'
import type { LabelFilter, LabelPage, LabelSnapshot } from './label-queries.ts'
import type { LabelStore } from './pg-labels.ts'

/** Number of labels whose content is in memory at the same time. */
const batchSize = 20

/** Labels with their snapshots as JSON texts, in order. */
export async function* labelTexts(
  store: Pick<LabelStore, 'snapshots'>,
  labels: readonly StoredLabel[],
): AsyncGenerator<string> {
  for (let from = 0; from < labels.length; from += batchSize) {
    const batch = labels.slice(from, from + batchSize)
    const [first] = batch
    if (first === undefined) return
    const ids = batch.map(({ snapshotId }) => snapshotId)
    const snapshots = await store.snapshots(first.workspaceId, ids)
    for (const label of batch) {
      const snapshot = snapshots.get(label.snapshotId)
      if (snapshot === undefined) throw new Error('a label has no snapshot')
      yield JSON.stringify(Label.parse(labelReply(label, snapshot)))
    }
  }
}

/** The same as members of a JSON array. */
async function* memberTexts(
  store: Pick<LabelStore, 'snapshots'>,
  labels: readonly StoredLabel[],
): AsyncGenerator<string> {
  let separator = ''
  for await (const text of labelTexts(store, labels)) {
    yield separator + text
    separator = ','
  }
}

/** A page of grades, as pieces of JSON. Nothing matches a null filter. */
export async function* labelList(
  store: Pick<LabelStore, 'page' | 'count' | 'snapshots'>,
  filter: LabelFilter | null,
  { limit, offset }: LabelPage,
): AsyncGenerator<string> {
  const [page, total] =
    filter === null
      ? [[], 0]
      : await Promise.all([store.page(filter, { limit: limit + 1, offset }), store.count(filter, maxTotal)])
  yield '{"object":"list","data":['
  yield* memberTexts(store, page.slice(0, limit))
  yield `],"total":${total},"limit":${limit},"offset":${offset},"has_more":${page.length > limit}}`
}

/** No connection is held while the client reads a page. */
const pageSize = 500

/** Matching grades at a time, as lines of JSON, newest first. Nothing matches a null filter. */
export async function* labelLines(
  store: Pick<LabelStore, 'page' | 'snapshots'>,
  filter: LabelFilter | null,
  asOf: Date,
): AsyncGenerator<string> {
  if (filter === null) return
  let page = await store.page({ ...filter, asOf }, { limit: pageSize, offset: 0 })
  while (page.length > 0) {
    for await (const text of labelTexts(store, page)) yield `${text}\n`
    page = await store.page({ ...filter, asOf }, { limit: pageSize, offset: 0, after: page.at(-1) })
  }
}

export interface Graded {
  readonly outcomes: readonly GradeOutcome[]
  /** In the order of the request. */
  readonly created: readonly StoredLabel[]
}

/** The outcomes of several grades, as pieces of JSON, so that not all content is in memory at once. */
export async function* gradedList(
  store: Pick<LabelStore, 'snapshots'>,
  { outcomes, created }: Graded,
): AsyncGenerator<string> {
  const rejected = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'refused' ? [rejection(index, outcome.error)] : [],
  )
  const superseded = outcomes.filter((outcome) => outcome.kind === 'created' && outcome.supersedes).length
  yield '{"object":"list","data":['
  yield* memberTexts(store, created)
  yield `],"created":${created.length},"superseded":${superseded},"rejected":${JSON.stringify(rejected)}}`
}

function rejection(index: number, { code, message, param }: ServiceError): GradedList['rejected'][number] {
  return { index, code, message, param }
}

function labelReply(label: StoredLabel, { messages, response, tools, model, sha256 }: LabelSnapshot): Label {
  return {
    object: 'label',
    id: publicId('label', label.id),
    criterion_id: label.criterionId === null ? null : publicId('criterion', label.criterionId),
    unit: label.unit,
    log_id: label.logId === null ? null : publicId('log', label.logId),
    trace_id: label.traceId,
    rollout_id: null,
    label: label.label,
    rationale: label.rationale,
    grader_id: label.graderId,
    grader_type: 'human',
    source: label.source,
    blind: label.blind,
    snapshot: {
      messages: [...messages],
      response,
      tools: tools === null ? null : [...tools],
      model,
      segment: label.segment,
      sha256,
    },
    sampling: label.sampling,
    superseded_by: label.supersededBy === null ? null : publicId('label', label.supersededBy),
    created_at: label.createdAt.toISOString(),
  }
}
