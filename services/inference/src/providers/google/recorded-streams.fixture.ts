const head = { modelVersion: 'gemini-3.5-flash', responseId: 'kNiDavuDIcja' }

/** Streams of `streamGenerateContent?alt=sse` in the public wire format, by content. */
export const recordedStreams: Readonly<Record<string, string>> = {
  text: sse([
    { ...said({ text: 'Grüße, ' }), usageMetadata: counts(7, 2), ...head },
    { ...said({ text: '世界 🌍' }), usageMetadata: counts(7, 5), ...head },
    { ...said({ text: '', thoughtSignature: 'EqkECqYE' }, 'STOP'), usageMetadata: counts(7, 6), ...head },
  ]),
  thoughts: sse([
    { ...said({ text: '**Weighing it**', thought: true }), usageMetadata: counts(9, 0, 40), ...head },
    { ...said({ text: 'Yes.' }, 'MAX_TOKENS'), usageMetadata: counts(9, 2, 94), ...head },
  ]),
  calls: sse([
    {
      ...said({
        functionCall: { id: 'lpndqlku', name: 'get_weather', args: { city: 'Paris' } },
        thoughtSignature: 'AY89a19Y',
      }),
      usageMetadata: counts(29, 15, 804),
      ...head,
    },
    { ...said({ functionCall: { name: 'get_time', args: {} } }), usageMetadata: counts(29, 20, 804), ...head },
    { ...said({ text: '' }, 'STOP'), usageMetadata: counts(29, 20, 804), ...head },
  ]),
  blocked: sse([
    {
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
      ...head,
    },
  ]),
  filtered: sse([
    { ...said({ text: 'Once' }), ...head },
    { candidates: [{ finishReason: 'SAFETY', index: 0 }], ...head },
  ]),
  failed: sse([
    { ...said({ text: 'Half an ans' }), ...head },
    { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
  ]),
  'a call that went wrong': sse([
    { candidates: [{ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }], ...head },
  ]),
  unreadable: `${sse([{ ...said({ text: 'Half' }), ...head }])}data: {"candidates":[{"content"\r\n\r\n`,
  'an error page': '<!doctype html><title>502</title>\n\n',
}

function said(part: object, finishReason?: string) {
  return {
    candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...(finishReason && { finishReason }) }],
  }
}

/** Counts as Google reports them: a 0 is omitted, and the candidates exclude thoughts. */
function counts(promptTokenCount: number, candidatesTokenCount: number, thoughtsTokenCount = 0) {
  return {
    promptTokenCount,
    ...(candidatesTokenCount > 0 && { candidatesTokenCount }),
    totalTokenCount: promptTokenCount + candidatesTokenCount + thoughtsTokenCount,
    ...(thoughtsTokenCount > 0 && { thoughtsTokenCount }),
  }
}

function sse(chunks: readonly object[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('')
}
