import { RecentAnswers } from './recent-answers.ts'
import type { AssignedKind } from './secret-kind.ts'
import { exactKind, readSecretName, type SecretName } from './secret-name.ts'
import { examinedLength, isSecretValue, type ValueSyntax } from './secret-value.ts'

/**
 * Classifies names and values of one text by their place in it. It remembers recent results, because rules ask
 * repeatedly.
 */
export interface SecretClassifier {
  /** Reads the part `[start, end)` as a name. Returns null when it does not name a secret. */
  nameIn(start: number, end: number): SecretName | null
  /** Returns {@link exactKind} of the name. */
  kindOf(name: SecretName): AssignedKind
  /** Returns {@link isSecretValue} of the part `[start, end)`. */
  isSecret(start: number, end: number, written: Assigned): boolean
}

/** The name of a value, and how the value is written. */
export interface Assigned {
  readonly name: SecretName
  readonly syntax: ValueSyntax
}

export function createSecretClassifier(text: string): SecretClassifier {
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
      const examined = text.slice(start, Math.min(end, start + examinedLength))
      const how = howAssigned(name, syntax)
      return values.recall(examined, how) ?? values.remember(examined, how, isSecretValue(examined, name, syntax))
    },
  }
}

/** Everything that {@link isSecretValue} depends on beside the value, as one number. */
function howAssigned(name: SecretName, { quoted, loose, bare, reported }: ValueSyntax): number {
  let how = name.kind === 'azure_sas' ? 1 : 0
  for (const each of [name.password, name.mustBeGenerated === true, quoted, loose, bare === true, reported === true])
    how = how * 2 + (each ? 1 : 0)
  return how
}
