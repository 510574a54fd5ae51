import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type BackoffDelays, backoff } from '@ratchet/service-kit/timing/backoff'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { isStillProven, type JudgeDirectory } from '../grpo/rewards/judge-directory.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { BringToServe } from '../versions/bring-to-serve.ts'
import { type AskDeps, type Asked, askForAnswers, askJudges } from './ask-samples.ts'
import { curateRound, holdoutRates } from './curate-round.ts'
import { nextRoundStep, type RoundStep } from './next-round-step.ts'
import type {
  DrivenRound,
  JudgedSample,
  KeptSample,
  RoundChanges,
  RoundFailure,
  RoundStage,
  RoundStore,
  RoundWork,
} from './round.ts'
import { type StartJobDeps, startJob, storeExamples } from './start-job.ts'

export interface AdvanceRoundDeps extends Omit<AskDeps, 'work'>, Omit<StartJobDeps, 'work' | 'jobs'> {
  readonly work: RoundWork
  readonly rounds: Pick<RoundStore, 'doneOfChain' | 'get'>
  readonly jobs: Pick<JobStore, 'create' | 'get' | 'cancel'>
  readonly judges: JudgeDirectory
  readonly bringToServe: BringToServe
  readonly onFailure: (roundId: string, error: unknown) => void
}

/** How soon a round looks again at what it waits for, milliseconds. */
const waitMs = 1_000
const creditMs = 30_000
/** How long a version may take until engines serve it. */
const maxLoadingMs = 3_600_000
const retryDelays: BackoffDelays = { firstMs: 1_000, maxMs: 60_000 }

type Turn = { readonly delayMs: number; readonly hasFailed: boolean }
const goOn: Turn = { delayMs: 0, hasFailed: false }

/** Takes a round one step further. Whatever fails is tried again later, by any worker. */
export async function advanceRound(deps: AdvanceRoundDeps, round: DrivenRound): Promise<void> {
  const { work } = deps
  try {
    const step = nextRoundStep(round.stage, await worldOf(deps, round))
    await work.release(round, await takeStep(deps, round, step))
  } catch (error) {
    if (error instanceof ServiceError && isForGood(error)) {
      await fail(deps, round, { code: error.code, message: error.message })
      return
    }
    deps.onFailure(round.id, error)
    await work.release(round, { delayMs: backoff(round.attempts - 1, retryDelays), hasFailed: true })
  }
}

/** What the service itself refuses is refused again. */
function isForGood({ code }: ServiceError): boolean {
  return code !== 'service_unavailable' && code !== 'rate_limit_exceeded' && code !== 'internal_error'
}

async function worldOf({ work, jobs }: AdvanceRoundDeps, round: DrivenRound) {
  const { workspaceId, jobId } = round
  const job = jobId === null ? null : await jobs.get({ workspaceId, id: jobId })
  return { ...(await work.countOpen(round)), job: job?.status ?? null }
}

async function takeStep(deps: AdvanceRoundDeps, round: DrivenRound, step: RoundStep): Promise<Turn> {
  const { work } = deps
  switch (step.kind) {
    case 'sample':
      return turnOf(deps, round, await askForAnswers(deps, round, await modelOf(deps, round)))
    case 'judge':
      return turnOf(deps, round, await askJudges(deps, round))
    case 'advance':
      return (await requireProven(deps, round)) ? next(deps, round, step.to) : goOn
    case 'curate':
      return (await requireProven(deps, round)) ? curate(deps, round) : goOn
    case 'start_job':
      return train(deps, round)
    case 'begin_evaluation':
      return beginEvaluation(deps, round)
    case 'finish':
      return finish(deps, round)
    case 'wait':
      await work.say(round, step.message)
      return { delayMs: waitMs, hasFailed: false }
    case 'fail':
      return fail(deps, round, step)
  }
}

/** Held out prompts are asked of the trained model after the training. */
async function modelOf({ work }: AdvanceRoundDeps, round: DrivenRound) {
  const { workspaceId, jobId, startModel } = round
  const version = jobId === null ? null : await work.version({ workspaceId, id: jobId })
  return ({ part }: { readonly part: string }) => (part === 'after' ? (version?.model ?? startModel) : startModel)
}

async function turnOf(deps: AdvanceRoundDeps, round: DrivenRound, asked: Asked): Promise<Turn> {
  switch (asked.kind) {
    case 'more':
      await deps.work.say(round, null)
      return goOn
    case 'later':
      return asked
    case 'no_credit':
      await deps.work.say(round, 'The wallet does not cover the next call. Top it up; the round goes on by itself.')
      return { delayMs: creditMs, hasFailed: false }
    case 'over_cap':
      return fail(deps, round, {
        code: 'max_cost_reached',
        message: '`maxCostUsd` does not cover the answers and verdicts.',
      })
  }
}

/** A judge that was changed, or is not proven any more, decides nothing. */
async function requireProven(deps: AdvanceRoundDeps, round: DrivenRound): Promise<boolean> {
  const identity = workerIdentity(round.workspaceId, round.createdBy)
  for (const judge of round.judges) {
    if (isStillProven(judge, await deps.judges.find(identity, judge.criterionId))) continue
    const message = 'A judge of the round was changed, or is no longer proven.'
    await fail(deps, round, { code: 'criterion_not_trustworthy', message })
    return false
  }
  return true
}

async function next(
  { work }: AdvanceRoundDeps,
  round: DrivenRound,
  to: RoundStage,
  changes?: RoundChanges,
): Promise<Turn> {
  await work.advance(round, to, changes)
  return goOn
}

async function curate(deps: AdvanceRoundDeps, round: DrivenRound): Promise<Turn> {
  const { work, rounds } = deps
  const [first] = await rounds.doneOfChain(round)
  const prompts = (await work.prompts(round)).slice(0, round.settings.prompts)
  const samples = await work.samples(round, 'train')
  const firstDistinct = first?.curation?.distinct ?? null
  const { curation, examples, chosen, failure } = curateRound({ round, prompts, samples, firstDistinct })
  if (failure !== null) return fail(deps, round, failure, { curation })
  await work.keep(round, chosen.map(keptOf(round)))
  return next(deps, round, 'training', { curation, datasetId: await storeExamples(deps, round, examples) })
}

function keptOf({ id }: DrivenRound) {
  return ({ promptIndex, sampleIndex }: JudgedSample): KeptSample => {
    const auditId = deterministicId('raft-audit', id, String(promptIndex), String(sampleIndex))
    return { promptIndex, sampleIndex, auditId }
  }
}

async function train(deps: AdvanceRoundDeps, round: DrivenRound): Promise<Turn> {
  const started = await startJob(deps, round)
  if (started === 'no_credit') {
    await deps.work.say(
      round,
      'The wallet does not cover the hold of the training. Top it up; the round goes on by itself.',
    )
    return { delayMs: creditMs, hasFailed: false }
  }
  if (started === 'over_cap') {
    return fail(deps, round, { code: 'max_cost_reached', message: '`maxCostUsd` leaves nothing for the training.' })
  }
  if (!(await deps.work.advance(round, 'training', { jobId: started }))) await withdraw(deps, round, started)
  return goOn
}

/** A round that was cancelled while its job was created does not name the job, so that nobody else would end it. */
async function withdraw({ rounds, jobs, now }: AdvanceRoundDeps, round: DrivenRound, jobId: string): Promise<void> {
  const present = await rounds.get(round)
  if (present?.status !== 'cancelled' || present.jobId === jobId) return
  await jobs.cancel({ workspaceId: round.workspaceId, id: jobId }, now())
}

async function beginEvaluation(deps: AdvanceRoundDeps, round: DrivenRound): Promise<Turn> {
  const { workspaceId, jobId, createdBy } = round
  const version = jobId === null ? null : await deps.work.version({ workspaceId, id: jobId })
  const reach = version === null ? null : await deps.bringToServe({ id: version.id, workspaceId }, createdBy)
  if (reach?.kind === 'soon' && !(await isLate(deps, round))) {
    await deps.work.say(round, 'Engines load the version that was trained.')
    return { delayMs: waitMs, hasFailed: false }
  }
  // Nothing can answer as a version that nothing serves.
  if (reach?.kind === 'served') await deps.work.addAfter(round)
  return next(deps, round, 'evaluating', { modelVersionId: version?.id ?? null })
}

async function isLate({ jobs, now }: AdvanceRoundDeps, { workspaceId, jobId }: DrivenRound): Promise<boolean> {
  const job = await jobs.get({ workspaceId, id: jobId ?? '' })
  return now().getTime() - (job?.finishedAt ?? now()).getTime() > maxLoadingMs
}

async function finish({ work, now }: AdvanceRoundDeps, round: DrivenRound): Promise<Turn> {
  const holdout = holdoutRates(await work.samples(round, 'before'), await work.samples(round, 'after'))
  const message = holdout === null ? 'The version could not be measured, because nothing serves it.' : null
  await work.finish(round, holdout, message, now())
  return goOn
}

async function fail(
  { work, now }: AdvanceRoundDeps,
  round: DrivenRound,
  { code, message }: RoundFailure,
  changes: RoundChanges = {},
): Promise<Turn> {
  await work.fail(round, { code, message }, changes, now())
  return goOn
}
