import { type GrpoCall, grpoCalls } from '@ratchet/contracts/grpo-protocol'
import { wholeNumber } from '@ratchet/contracts/query-values'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import type { Router } from 'express'
import { z } from 'zod'
import type { AttemptId, JobTokens } from '../../attempts/job-token.ts'
import { attemptOf } from '../../attempts/routes.ts'
import { TrainerRefusal } from '../../attempts/trainer-refusal.ts'
import { addRollouts, lookState, type StepDeps, stepRewards, stepState, stepTrained } from './protocol.ts'

export interface StepRouteDeps {
  readonly stepDeps: StepDeps
  readonly tokens: JobTokens
  /** Waits so many milliseconds. */
  readonly delay: (ms: number) => Promise<unknown>
}

/** Between two looks at a step that a trainer waits for, milliseconds. */
const pollMs = 200

/** Serves the steps of runs to their trainers, with the token of an attempt. */
export function stepRoutes(router: Router, { stepDeps, tokens, delay }: StepRouteDeps): void {
  const on = createMount(router, tokens)
  /** Asks again until the answer is another one, or the time is over. */
  const within = async <T>(seconds: number, ask: () => Promise<T>, isWaiting: (answer: T) => boolean): Promise<T> => {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const answer = await ask()
      if (!isWaiting(answer) || waitedMs >= seconds * 1_000) return answer
      await delay(pollMs)
    }
  }
  on(grpoCalls.step, ({ id, step, query }) =>
    within(
      query.wait,
      () => stepState(stepDeps, id, step),
      ({ state }) => state === 'wait',
    ),
  )
  on(grpoCalls.rollouts, ({ id, step, body }) => addRollouts(stepDeps, id, { kind: 'step', step, ...body }))
  on(grpoCalls.rewards, ({ id, step, query }) =>
    within(
      query.wait,
      () => stepRewards(stepDeps, id, step),
      ({ state }) => state === 'judging',
    ),
  )
  on(grpoCalls.trained, ({ id, step, body }) => stepTrained(stepDeps, id, step, body))
  on(grpoCalls.look, ({ id, step }) => lookState(stepDeps, id, step))
  on(grpoCalls.lookRollouts, ({ id, step, body }) => addRollouts(stepDeps, id, { kind: 'look', step, ...body }))
}

interface Asked<C extends GrpoCall> {
  readonly id: AttemptId
  readonly step: number
  readonly query: z.output<C['query']>
  readonly body: z.output<C['body']>
}

const Params = z.strictObject({ step: wholeNumber({ min: 0, max: 10_000 }) })

function createMount(router: Router, tokens: JobTokens) {
  return <C extends GrpoCall>(call: C, handle: (asked: Asked<C>) => Promise<z.input<C['reply']>>): void => {
    router[call.method](call.path, async (request, response) => {
      request.routeName = call.path
      try {
        const id = attemptOf(tokens, request)
        request.bodyOwner = id.jobId
        const { step } = parseInput(Params, request.params)
        const query = parseInput<C['query']>(call.query, request.query)
        const sent = call.method === 'get' ? {} : await readJson(request, response, call.maxBodyBytes)
        const body = parseInput<C['body']>(call.body, sent)
        response.json(call.reply.parse(await handle({ id, step, query, body })))
      } catch (error) {
        if (!(error instanceof TrainerRefusal)) throw error
        response.status(error.status).json(error.envelope(request.id))
      }
    })
  }
}
