import type { Dialect } from '../domain/dialect.ts'

/** What a span tells of an answer: names and reasons, nothing of what was said. */
export interface AnswerFacts {
  /** As the provider calls what answered; null when it does not say. */
  readonly model: string | null
  readonly finishReasons: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

/** Reads them from a whole answer in its unstreamed form. */
export function readAnswerFacts(dialect: Dialect, bytes: Buffer): AnswerFacts {
  const body = parse(bytes)
  return {
    model: nameOf(body.model),
    finishReasons: reasonsIn(dialect, body).flatMap((reason) => nameOf(reason) ?? []),
  }
}

function reasonsIn(dialect: Dialect, body: Json): readonly unknown[] {
  switch (dialect) {
    case 'chat':
      return Array.isArray(body.choices) ? body.choices.map((choice: Json | null) => choice?.finish_reason) : []
    case 'messages':
      return [body.stop_reason]
    case 'responses':
      return [(body.incomplete_details as Json | null | undefined)?.reason ?? body.status]
    case 'embeddings':
    case 'rerank':
      return []
  }
}

function parse(bytes: Buffer): Json {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Json) : {}
  } catch {
    return {}
  }
}

/** Whatever a provider writes where a name belongs: what does not look like one may be anything, and is not repeated. */
function nameOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.:/@-]{1,128}$/.test(value) ? value : null
}
