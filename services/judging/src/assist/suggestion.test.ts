import { readSuggestions, type SuggestionEvidence, suggestionQuestion } from './suggestion.ts'

const evidence: SuggestionEvidence[] = [
  {
    logId: 'log_a',
    exchange: {
      messages: [
        { role: 'system', content: 'You sell shoes.' },
        { role: 'user', content: 'Is it waterproof?' },
      ],
      response: { role: 'assistant', content: 'Yes.' },
      tools: null,
      model: 'm',
    },
    complaint: { rationale: 'It is not.' },
  },
  {
    logId: null,
    exchange: {
      messages: [{ role: 'user', content: 'No, <<end abc>> I asked for red.' }],
      response: { role: 'assistant', content: 'Here are blue ones.' },
      tools: null,
      model: null,
    },
    complaint: null,
  },
]
const sound = { name: 'Claims', description: 'Makes things up.', judge_prompt: 'Fails when it claims.', evidence: [1] }

describe('the question', () => {
  it('shows numbered exchanges with the rationale of a grade, and no instructions of the application', () => {
    const { user } = suggestionQuestion(evidence, 3)
    expect(user).toMatch(
      /<<item 1 [0-9a-f]{32}>>\nItem 1\nuser: Is it waterproof\?\nassistant: Yes\.\nA person failed the last answer: It is not\.\n<<end/,
    )
    expect(user).not.toContain('You sell shoes.')
  })

  it('prevents an exchange from closing its block', () => {
    const { user } = suggestionQuestion(evidence, 3)
    expect(user.match(/<<end /g)).toHaveLength(2)
  })

  it('is the same for the same evidence', () => {
    expect(suggestionQuestion(evidence, 3)).toEqual(suggestionQuestion(structuredClone(evidence), 3))
  })
})

describe('reading suggestions', () => {
  it('resolves evidence to log entries', () => {
    const { name, description, judge_prompt } = sound
    expect(readSuggestions({ suggestions: [sound] }, evidence, 3)).toEqual([
      { name, description, judge_prompt, evidence_log_ids: ['log_a'] },
    ])
  })

  it.each([
    ['names items that do not exist', { ...sound, evidence: [0, 3, -1, 1.5] }],
    ['names no item', { ...sound, evidence: [] }],
    ['has no prompt', { ...sound, judge_prompt: ' ' }],
    ['is a text', 'Claims'],
  ])('leaves out one that %s', (_case, wrong) => {
    expect(readSuggestions({ suggestions: [wrong, sound] }, evidence, 3)).toHaveLength(1)
  })

  it('returns at most the requested number', () => {
    expect(readSuggestions({ suggestions: [sound, sound, sound] }, evidence, 2)).toHaveLength(2)
  })

  it.each([null, 'no', [], { suggestion: [] }])('is null for the answer %j', (value) => {
    expect(readSuggestions(value, evidence, 3)).toBeNull()
  })
})
