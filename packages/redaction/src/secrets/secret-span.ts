/** The kind of a secret, e.g. `github_token`, which is stored with the exchange; the secret itself never is. */
export type Kind = string

/** The position `[start, end)` of a secret in a text. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: Kind
}

/** Generic kinds, the least specific first. */
const genericKinds: readonly Kind[] = ['secret', 'password', 'authorization', 'url_password', 'bearer_token']

/** Sorts spans and merges those that overlap; a merged span has the most specific of their kinds. */
export function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = []
  for (const span of inOrder(spans)) {
    const last = merged.at(-1)
    if (last === undefined || span.start >= last.end) merged.push(span)
    else merged[merged.length - 1] = union(last, span)
  }
  return merged
}

/** Sorts only when necessary: spans of a single pass are in order already. */
function inOrder(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const isOrdered = spans.every((span, index) => index === 0 || (spans[index - 1]?.start ?? 0) < span.start)
  return isOrdered ? spans : spans.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

function union(first: SecretSpan, second: SecretSpan): SecretSpan {
  const kind = specificity(second.kind) > specificity(first.kind) ? second.kind : first.kind
  return { start: first.start, end: Math.max(first.end, second.end), kind }
}

function specificity(kind: Kind): number {
  const at = genericKinds.indexOf(kind)
  return at < 0 ? genericKinds.length : at
}
