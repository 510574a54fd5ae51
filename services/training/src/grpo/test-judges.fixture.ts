import { costNanoHeader } from '@ratchet/contracts/identity'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import type { FleetCallError, FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { FoundJudge } from './rewards/judge-directory.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

/** Whether a judge passes an answer. */
export type Passes = (exchange: Parameters<JudgeExchange>[0]['exchange'], judgeModel: string) => boolean

/** How judges answer, and what they were asked. */
export interface TestJudges {
  /** By the UUID of the criterion. */
  readonly judges: Map<string, FoundJudge>
  /** Idempotency keys of all calls. */
  readonly keys: string[]
  /** What inference answers in place of a verdict. */
  refuse: FleetCallError | null
  /** Bodies that a model was asked with. It gives every second answer a flaw. */
  readonly asked: Json[]
  /** Answers that say nothing which judges pass. */
  readonly fooledBy: Set<string>
  /** Nano-dollars of a verdict. */
  costNano: bigint
  /** What the wallet has, nano-dollars. */
  walletNano: bigint
}

/** A judge that sees the marks of simulated answers. A gullible one is taken in by a phrase. */
export function judgeOf(judging: TestJudges, passes: Passes | undefined): JudgeExchange {
  return async ({ exchange, judgeModel, keyOf }) => {
    const text = String(exchange.response.content ?? '')
    judging.keys.push(keyOf('body'))
    if (judging.refuse !== null) return { finding: { kind: 'refused', refusal: judging.refuse }, replies: [] }
    const isTricked = judgeModel.includes('gullible') && text.includes('(as every expert agrees)')
    const saysNothing = !/\p{L}{2}.*\p{L}{2}.*\(/u.test(text) && !judging.fooledBy.has(text)
    const isFlawed = saysNothing || (text.includes('(flawed)') && !isTricked)
    const reply = {
      text: '',
      message: null,
      finishReason: null,
      model: judgeModel,
      fingerprint: null,
      promptTokens: 1,
      completionTokens: 1,
      costNano: judging.costNano,
      latencyMs: null,
      isReplay: false,
    }
    const fails = passes === undefined ? isFlawed : !passes(exchange, judgeModel)
    const choice = fails ? ('fail' as const) : ('pass' as const)
    return { finding: { kind: 'chosen', choice, explanation: 'Because.' }, replies: [reply] }
  }
}

export function modelOf({ asked, costNano }: TestJudges): FleetClient['send'] {
  return async ({ body }) => {
    const request = JSON.parse(String(body))
    asked.push(request)
    const content = `${request.seed % 2 === 0 ? '' : '(flawed) '}It is so (${request.seed}).`
    const completion = {
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    }
    const headers = { [costNanoHeader]: String(costNano) }
    return { status: 200, headers, body: Buffer.from(JSON.stringify(completion)) }
  }
}
