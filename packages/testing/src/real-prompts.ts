import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The turns of a real user in one conversation. */
export interface RealQuestion {
  readonly category: string
  readonly turns: readonly [string, string]
}

const file = fileURLToPath(new URL('../data/mt-bench-questions.jsonl', import.meta.url))

/** The questions of MT-Bench, in their order. */
export function realQuestions(): readonly RealQuestion[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as RealQuestion)
}
