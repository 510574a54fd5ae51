import { hash } from 'node:crypto'
import type { EvalComparison, Preferred } from '@ratchet/contracts/eval-preferences'
import { publicId } from '@ratchet/contracts/public-id'
import { renderReplyText } from '@ratchet/judge-kit/prompt/render-exchange'
import { isObject } from '@ratchet/service-kit/values/json'
import type { EvidenceStore } from '../gate/pg-evidence.ts'
import type { EvalRun } from '../runs/eval-run.ts'
import type { DoneSample, ModelAnswer, SampleStore } from '../samples/sample.ts'
import { placeOfSample } from '../samples/sample-place.ts'
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

/** Samples that are read at a time. */
const pageSize = 100

/** The next samples that nobody has compared blind, in the order of the draw; those without texts are left out. */
export async function comparisonsOf(
  { samples, evidence }: ComparisonDeps,
  { run: { workspaceId, id: runId }, place, count }: ComparisonOrder,
): Promise<{ data: EvalComparison[]; compared: number; total: number }> {
  const measured = await evidence.measured(runId)
  const preferences = await evidence.compared({ workspaceId, id: runId })
  const compared = comparedInOrder(measured, preferences, place).length
  const open = openSamples(measured, preferences, place)
  const openIds = new Set(open.map(({ id }) => id))
  const data: EvalComparison[] = []
  // Texts of any number of samples may have been deleted.
  for (let offset = open[0]?.index; offset !== undefined && data.length < count; ) {
    const { samples: page } = await samples.list({ runId, limit: pageSize, offset })
    const found = page.flatMap((sample) =>
      openIds.has(placeOfSample(sample)) ? (comparisonOf(sample, { runId, place }) ?? []) : [],
    )
    data.push(...found)
    const end = offset + pageSize
    offset = open.find(({ index }) => index >= end)?.index
  }
  return { data: data.slice(0, count), compared, total: measured.length }
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
  const [first, second] = isCandidateFirst({ sampleId: sample.id, candidateIndex: place + 1 })
    ? [candidate, baseline]
    : [baseline, candidate]
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
  const { tool_calls: called, function_call: oldCall, ...message } = answer.message
  const calls = [...(Array.isArray(called) ? called : []), ...(isObject(oldCall) ? [{ function: oldCall }] : [])]
  const text = renderReplyText(message)
  return {
    text: text === '' && calls.length > 0 ? null : text,
    tool_calls: calls.length === 0 ? null : calls.map(withoutProvider),
  }
}

/** A call with what the model said only: an id, or a field of its own, would name the provider. */
function withoutProvider(call: unknown, index: number): object {
  const { custom, function: called } = isObject(call) ? call : {}
  const id = `call_${index + 1}`
  if (isObject(custom)) return { id, type: 'custom', custom: { name: custom.name, input: custom.input } }
  const { name, arguments: values } = isObject(called) ? called : {}
  return { id, type: 'function', function: { name, arguments: values } }
}

interface Shown {
  readonly sampleId: string
  /** From 1. */
  readonly candidateIndex: number
}

/** The preference that a side of a comparison means. */
export function preferredOf(preference: Preferred | 'first' | 'second', shown: Shown): Preferred {
  if (preference !== 'first' && preference !== 'second') return preference
  return (preference === 'first') === isCandidateFirst(shown) ? 'candidate' : 'baseline'
}

/**
 * Depends on the sample and the candidate alone, so that a comparison looks the same each time, and neither model is always on
 * one side. With another candidate the baseline may be on the other side.
 */
function isCandidateFirst({ sampleId, candidateIndex }: Shown): boolean {
  return hash('sha256', `${sampleId} ${candidateIndex}`, 'buffer').readUInt8(0) % 2 === 0
}
