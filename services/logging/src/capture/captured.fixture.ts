import type { CapturedExchange, CapturedMeta } from '@ratchet/contracts/captured-exchange'

export const testWorkspaceId = '00000000-0000-7000-8000-0000000000aa'

export interface CapturedChoices {
  readonly meta?: Partial<CapturedMeta>
  /** Added to the request. */
  readonly request?: object
  /** Added to the answer's message. */
  readonly message?: object
  /** Added to the reply. */
  readonly reply?: object
}

/** A captured exchange as inference sends it, created now; `index` makes it differ from others. */
export function capturedExchange(index: number, choices: CapturedChoices = {}, now = new Date()): CapturedExchange {
  const request = { model: 'fast', messages: [{ role: 'user', content: `Question ${index}?` }], ...choices.request }
  const message = { role: 'assistant', content: `Answer ${index}.`, ...choices.message }
  const reply = {
    id: 'c1',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    ...choices.reply,
  }
  return {
    meta: {
      dialect: 'chat',
      requestId: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      workspaceId: testWorkspaceId,
      keyId: '00000000-0000-7000-8000-0000000000bb',
      createdAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + 7 * 86_400_000).toISOString(),
      servedModel: 'acme/fast',
      requestedModel: 'fast',
      provider: 'acme',
      alias: null,
      canary: false,
      fallbackFrom: null,
      tag: null,
      traceId: null,
      user: null,
      conversationId: null,
      metadata: {},
      stream: false,
      cached: false,
      costNano: '3000',
      latencyMs: 12,
      ttftMs: null,
      ...choices.meta,
    },
    request: Buffer.from(JSON.stringify(request)),
    reply: Buffer.from(JSON.stringify(reply)),
  }
}
