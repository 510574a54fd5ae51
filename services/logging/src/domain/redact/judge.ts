import { RecentAnswers } from './recent-answers.ts'
import { exactKind, readSecretName, type SecretName } from './secret-name.ts'
import type { AssignedKind } from './secret-span.ts'
import { isSecretValue, judgedLength, type ValueSyntax } from './secret-value.ts'

/** Judges names and values by their place in a text, and does not judge anew what it has just judged. */
export interface Judge {
  /** What the name that is the part `[start, end)` says of its value; null when it names no secret. */
  nameIn(start: number, end: number): SecretName | null
  /** {@link exactKind}. */
  kindOf(name: SecretName): AssignedKind
  /** {@link isSecretValue} of the part `[start, end)`. */
  isSecret(start: number, end: number, written: Assigned): boolean
}

/** The name that a value has, and how it was written. */
export interface Assigned {
  readonly name: SecretName
  readonly syntax: ValueSyntax
}

/** For one text. */
export function judgeOf(text: string): Judge {
  const names = new RecentAnswers<SecretName | null>()
  const kinds = new RecentAnswers<AssignedKind>()
  const values = new RecentAnswers<boolean>()
  return {
    nameIn(start, end) {
      const name = text.slice(start, end)
      const known = names.recall(name, 0)
      return known === undefined ? names.remember(name, 0, readSecretName(name)) : known
    },
    kindOf(name) {
      if (name.written === '') return name.kind
      return kinds.recall(name.written, 0) ?? kinds.remember(name.written, 0, exactKind(name))
    },
    isSecret(start, end, { name, syntax }) {
      const judged = text.slice(start, Math.min(end, start + judgedLength))
      const how = howAssigned(name, syntax)
      return values.recall(judged, how) ?? values.remember(judged, how, isSecretValue(judged, name, syntax))
    },
  }
}

/** All that {@link isSecretValue} depends on but the value. */
function howAssigned({ kind, password }: SecretName, { quoted, loose, bare, reported }: ValueSyntax): number {
  let how = kind === 'azure_sas' ? 1 : 0
  for (const each of [password, quoted, loose, bare === true, reported === true]) how = how * 2 + (each ? 1 : 0)
  return how
}
