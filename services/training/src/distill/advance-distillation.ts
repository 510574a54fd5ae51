import type { DatasetProgress } from '@ratchet/contracts/dataset-progress'
import { fillDataset, reportDataset } from '@ratchet/contracts/internal-datasets'
import { publicId } from '@ratchet/contracts/public-id'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { type BackoffDelays, backoff } from '@ratchet/service-kit/timing/backoff'
import { type AskDeps, type Asked, askForAnswers, askJudges } from '../raft/ask-samples.ts'
import type { DistillationWork, DrivenDistillation, KeptAnswer } from './distillation.ts'

export interface AdvanceDistillationDeps extends Omit<AskDeps, 'work'> {
  readonly work: DistillationWork
  readonly logging: Pick<FleetClient, 'call'>
  readonly now: () => Date
  readonly onFailure: (id: string, error: unknown) => void
}

const creditMs = 30_000
const retryDelays: BackoffDelays = { firstMs: 1_000, maxMs: 60_000 }

type Turn = { readonly delayMs: number; readonly hasFailed: boolean }
const goOn: Turn = { delayMs: 0, hasFailed: false }

/** Takes a distillation one step further. Whatever fails is tried again later, by any worker. */
export async function advanceDistillation(deps: AdvanceDistillationDeps, held: DrivenDistillation): Promise<void> {
  const { work, onFailure } = deps
  try {
    await work.release(held, await step(deps, held))
  } catch (error) {
    // The dataset was deleted, or is not being built any more: nothing is asked for it.
    if (error instanceof FleetCallError && (error.status === 404 || error.status === 409)) {
      await work.end(held, 'failed', deps.now())
      return
    }
    onFailure(held.id, error)
    await work.release(held, { delayMs: backoff(held.attempts - 1, retryDelays), hasFailed: true })
  }
}

async function step(deps: AdvanceDistillationDeps, held: DrivenDistillation): Promise<Turn> {
  const { work } = deps
  await report(deps, held, { message: null })
  const { asked, answered } = held.isCapped ? { asked: 0, answered: 0 } : await work.countOpen(held)
  if (held.judges.length > 0 && answered > 0) return turnOf(deps, held, await askJudges(deps, held))
  if (asked > 0) return turnOf(deps, held, await askForAnswers(deps, held, () => held.request.teacher_model))
  return finish(deps, held)
}

async function turnOf(deps: AdvanceDistillationDeps, held: DrivenDistillation, asked: Asked): Promise<Turn> {
  switch (asked.kind) {
    case 'more':
      return goOn
    case 'later':
      return asked
    case 'no_credit':
      await report(deps, held, {
        message: 'The wallet does not cover the next call. Top it up; it goes on by itself.',
      })
      return { delayMs: creditMs, hasFailed: false }
    case 'over_cap':
      await deps.work.cap(held)
      return goOn
  }
}

async function finish(deps: AdvanceDistillationDeps, held: DrivenDistillation): Promise<Turn> {
  const { work, logging, now } = deps
  const kept = await work.kept(held)
  const progress = await work.progress(held)
  if (kept.length === 0) {
    await report(deps, held, { message: nothingKept(held, progress), failed: true })
    await work.end(held, 'failed', now())
    return goOn
  }
  await report(deps, held, { message: held.isCapped ? cappedMessage(progress) : null })
  const identity = workerIdentity(held.workspaceId, held.createdBy)
  const params = { id: publicId('dataset', held.id) }
  await logging.call(fillDataset, { params, body: { examples: kept.map(exampleOf) } }, identity)
  await work.end(held, 'done', now())
  return goOn
}

function exampleOf({ prompt: { messages, tools }, completion }: KeptAnswer): object {
  return { messages: [...messages, { ...completion, role: 'assistant' }], ...(tools === null ? {} : { tools }) }
}

function cappedMessage({ samples, answered, refused }: DatasetProgress): string {
  return `\`max_cost_usd\` was reached: ${answered + refused} of ${samples} answers were asked for.`
}

function nothingKept({ isCapped }: DrivenDistillation, { answered }: DatasetProgress): string {
  if (isCapped) return '`max_cost_usd` was reached before an answer passed.'
  return answered === 0 ? 'The teacher gave no answer that was not cut off.' : 'The judge passed no answer.'
}

interface Report {
  readonly message: string | null
  readonly failed?: boolean
}

async function report(
  { work, logging }: AdvanceDistillationDeps,
  held: DrivenDistillation,
  { message, failed = false }: Report,
): Promise<void> {
  const params = { id: publicId('dataset', held.id) }
  const body = { progress: await work.progress(held), status_message: message, failed }
  await logging.call(reportDataset, { params, body }, workerIdentity(held.workspaceId, held.createdBy))
}
