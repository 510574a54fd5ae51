import { type GrpoRun, getGrpoRun } from '@ratchet/contracts/grpo'
import { type Answer, formatTable } from '../answer.ts'
import type { Api, Reply } from '../api/api-client.ts'
import type { ApiDeps } from '../api/api-commands.ts'
import { createProgressDisplay, type FirstLook, timeLeft } from '../api/progress-display.ts'
import { watchUntil } from '../api/watch-until.ts'
import { inShare, inTime, inUsd } from '../text/in-words.ts'

/** States that a run does not leave by itself. */
const resting: ReadonlySet<GrpoRun['status']> = new Set([
  'awaiting_adoption',
  'adopted',
  'rejected',
  'failed',
  'cancelled',
  'paused',
])

/**
 * Shows the progress of a run until it ends, its candidate waits, or it is paused. Ctrl-C ends the display, not the run.
 *
 * @returns null after an interruption, for which a message was printed
 */
export async function finalAnswer({ io }: ApiDeps, api: Api, first: Reply<GrpoRun>): Promise<Answer | null> {
  const { id } = first.value
  const last = await watchUntil<GrpoRun>(io, {
    first,
    read: (options) => api.call(getGrpoRun, { params: { id } }, options),
    isOver: ({ status }) => resting.has(status),
    display: createProgressDisplay<GrpoRun>(io, {
      doneOf: ({ progress }) => progress.step,
      isWaiting: ({ status }) => status !== 'running',
      textOf: progressText,
    }),
    interrupted: `Interrupted. The run continues; \`ratchet grpo watch ${id}\` shows it again.`,
  })
  if (last === null) return null
  const isGood = last.value.status === 'awaiting_adoption' || last.value.status === 'adopted'
  return { json: last.json, text: runText(last.value), ...(isGood ? {} : { exitCode: 1 }) }
}

/** `running 12/200, reward 0.41 -> 0.63, healthy, 1m 5s, $0.0120` */
function progressText(run: GrpoRun, first: FirstLook, nowMs: number): string {
  const { step, total_steps: total } = run.progress
  const rewards = [run.reward_baseline, run.reward_current].flatMap((reward) =>
    reward === null ? [] : [reward.toFixed(2)],
  )
  return [
    `${run.status} ${stepsOf(run)}`,
    ...(rewards.length === 0 ? [] : [`reward ${rewards.join(' -> ')}`]),
    run.guard.verdict,
    inTime(nowMs - Date.parse(run.created_at)),
    ...(run.status === 'running' ? timeLeft({ done: step, total }, first, nowMs) : []),
    inUsd(run.cost_usd + run.judge_cost_usd),
    ...(run.waiting_for === null ? [] : [`waiting for ${run.waiting_for}`]),
  ].join(', ')
}

function runText(run: GrpoRun): string {
  const reason = run.error?.message ?? run.status_message
  const rewards = [run.reward_baseline, run.reward_current].map((reward) => (reward === null ? '-' : reward.toFixed(3)))
  return formatTable([
    ['run', run.id],
    ['status', reason === null ? run.status : `${run.status}: ${reason}`],
    ['steps', stepsOf(run)],
    ['reward', rewards.join(' -> ')],
    ['terms', termsText(run)],
    ['guard', run.guard.verdict],
    ...(run.best_step === null ? [] : [['best step', String(run.best_step)]]),
    ...(run.model === null ? [] : [['model', run.model]]),
    ['training', inUsd(run.cost_usd)],
    ['judges', inUsd(run.judge_cost_usd)],
  ])
}

function termsText({ reward: { criteria, functions, tools } }: GrpoRun): string {
  const terms = [...criteria.map(({ criterion_id: name, ...term }) => ({ name, ...term })), ...functions, ...tools]
  return terms.map(({ name, weight, required }) => `${name} ${required ? 'required' : inShare(weight)}`).join(', ')
}

export function stepsOf({ progress }: Pick<GrpoRun, 'progress'>): string {
  return `${progress.step}/${progress.total_steps}`
}
