import { endText, latencyParts, statusOf, verdictOf } from './call-words.ts'

it('lays the parts of a wait one behind the other, and the rest behind them', () => {
  const turn = { eot_ms: 300, stt_ms: 120, llm_ttft_ms: 250, tts_ttfa_ms: 60, total_ms: 700 }
  expect(latencyParts(turn)).toEqual([
    { label: 'End of the turn', fromMs: 0, ms: 300 },
    { label: 'First words of the model', fromMs: 300, ms: 250 },
    { label: 'First audio of the voice', fromMs: 550, ms: 60 },
    { label: 'Clauses, line', fromMs: 610, ms: 90 },
  ])
  expect(latencyParts({ ...turn, llm_ttft_ms: null, tts_ttfa_ms: null, total_ms: null })).toHaveLength(1)
})

it('has words for states, ends and verdicts', () => {
  expect(statusOf({ status: 'in_progress' })).toEqual({ word: 'in progress', state: 'open' })
  expect(endText({ ended_reason: 'silence' })).toBe('The caller was silent for too long.')
  expect(endText({ ended_reason: null })).toBeNull()
  expect(verdictOf({ state: 'failed', verdict: null, failure: 'short' }).reason).toMatch(/ten seconds/)
  expect(verdictOf({ state: 'done', verdict: 'fail', failure: null })).toEqual({ word: 'fail', state: 'wrong' })
})
