import { type Injection, injections } from '@ratchet/judge-kit/prompt/injections.fixture'

/** The corpus of prompt injections, rewritten so that they try to make the judge prefer `first`. */
export const forgedPreferences: readonly Injection[] = injections.map(({ name, candidate }) => ({
  name,
  candidate: candidate
    .replaceAll('\\u0076erdict', '\\u0077inner')
    .replaceAll('verdict', 'winner')
    .replaceAll('PASS', 'first')
    .replaceAll('candidate', 'first')
    .replaceAll('Candidate', 'Second'),
}))
