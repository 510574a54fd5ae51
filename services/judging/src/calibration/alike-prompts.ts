/** Letters and digits. Runs of fewer are in many texts. */
const runLength = 8

/** Prompts are alike from this share of the shorter one's runs. Those of other questions share about a tenth, and up to two. */
const alikeShare = 0.3

/** The letters and digits of a prompt, as runs that overlap. */
export type PromptRuns = ReadonlySet<string>

/** Case, spaces, marks and invisible characters make no difference. */
export function promptRuns(prompt: string): PromptRuns {
  const letters = prompt
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '')
  const runs = new Set<string>()
  for (let at = 0; at + runLength <= letters.length; at += 1) runs.add(letters.slice(at, at + runLength))
  return runs
}

/** Whether one prompt may be made of the other, with parts added or left out. One that is too short to compare may be. */
export function areAlike(one: PromptRuns, other: PromptRuns): boolean {
  const [shorter, longer] = one.size <= other.size ? [one, other] : [other, one]
  let common = 0
  for (const run of shorter) if (longer.has(run)) common += 1
  return common >= alikeShare * shorter.size
}

/** Whether two prompts differ in nothing that is compared. */
export function areSame(one: PromptRuns, other: PromptRuns): boolean {
  return one.size === other.size && [...one].every((run) => other.has(run))
}
