import { hash } from 'node:crypto'
import type { EvalComparison, Preferred } from '@ratchet/contracts/eval-preferences'
import { publicId } from '@ratchet/contracts/public-id'
import { renderReplyText } from '@ratchet/judge-kit/prompt/render-exchange'
import type { EvidenceStore } from '../gate/pg-evidence.ts'
import type { EvalRun } from '../runs/eval-run.ts'
import type { DoneSample, ModelAnswer, SampleStore } from '../samples/sample.ts'
import { comparedInOrder, openSamples } from './compared-blind.ts'

export interface ComparisonDeps {
  readonly samples: Pick<SampleStore, 'list'>
  readonly evidence: Pick<EvidenceStore, 'measured' | 'compared'>
}

export interface ComparisonOrder {
  readonly run: EvalRun
  /** Index of the candidate. */
  readonly place: number
  readonly count: number
}

/** Samples that are read at most to find some that can be compared. */
const maxRead = 100

/** The next samples that nobody has compared blind, in the order of the draw; those without texts are left out. */
export async function comparisonsOf(
  { samples, evidence }: ComparisonDeps,
  { run: { workspaceId, id: runId }, place, count }: ComparisonOrder,
): Promise<{ data: EvalComparison[]; compared: number; total: number }> {
  const measured = await evidence.measured(runId)
  const preferences = await evidence.compared({ workspaceId, id: runId })
  const compared = comparedInOrder(measured, preferences, place).length
  const open = openSamples(measured, preferences, place)
  const offset = open[0]?.index ?? null
  if (offset === null) return { data: [], compared, total: measured.length }
  const openIds = new Set(open.map(({ id }) => id))
  const { samples: page } = await samples.list({ runId, limit: maxRead, offset })
  const data = page.flatMap((sample) =>
    openIds.has(placeOf(sample)) ? (comparisonOf(sample, { runId, place }) ?? []) : [],
  )
  return { data: data.slice(0, count), compared, total: measured.length }
}

/** As in measurements. */
function placeOf({ position, repetition }: Pick<DoneSample, 'position' | 'repetition'>): string {
  return `${String(position).padStart(6, '0')}-${repetition}`
}

/** Null when the texts were deleted. */
function comparisonOf(
  sample: DoneSample,
  { runId, place }: { readonly runId: string; readonly place: number },
): EvalComparison | null {
  const [baseline, candidate] = [0, place + 1].map((index) =>
    answerOf(sample.answers.find(({ modelIndex }) => modelIndex === index)),
  )
  if (sample.prompt === null || !baseline || !candidate) return null
  const [first, second] = isCandidateFirst(sample.id) ? [candidate, baseline] : [baseline, candidate]
  return {
    object: 'eval.comparison',
    eval_id: publicId('eval', runId),
    sample_id: publicId('sample', sample.id),
    prompt: {
      messages: [...sample.prompt.messages],
      tools: sample.prompt.tools === null ? null : [...sample.prompt.tools],
    },
    first,
    second,
  }
}

function answerOf(answer: ModelAnswer | undefined): EvalComparison['first'] | null {
  if (!answer?.message) return null
  const calls = answer.message.tool_calls
  return { text: renderReplyText(answer.message), tool_calls: Array.isArray(calls) ? calls : null }
}

/** The preference that a side of a comparison means. */
export function preferredOf(preference: Preferred | 'first' | 'second', sampleId: string): Preferred {
  if (preference !== 'first' && preference !== 'second') return preference
  return (preference === 'first') === isCandidateFirst(sampleId) ? 'candidate' : 'baseline'
}

/** Depends on the sample alone, so that a sample looks the same each time, and neither model is always on one side. */
function isCandidateFirst(sampleId: string): boolean {
  return hash('sha256', sampleId, 'buffer').readUInt8(0) % 2 === 0
}
