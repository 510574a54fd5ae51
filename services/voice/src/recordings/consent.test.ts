import { consentLanguages, consentOf } from './consent.ts'

const turn = (role: 'agent' | 'caller' | 'tool', text: string, isInterrupted = false) => ({ role, text, isInterrupted })
const question = turn('agent', 'Hello. May I record this call?')
const answered = (language: string, ...answers: readonly string[]) =>
  consentOf([question, ...answers.map((text) => turn('caller', text))], language)

it.each([
  ['en-US', 'Yes.', 'granted'],
  ['en-US', 'Yeah, sure. I would like to order a pizza.', 'granted'],
  ['en-GB', 'No problem.', 'granted'],
  ['en-US', 'Why not?', 'granted'],
  ['en-US', 'No.', 'refused'],
  ['en-US', "I'd rather not.", 'refused'],
  ['en-US', 'Yes, but please do not record it.', 'refused'],
  ['en-US', 'Okay... no.', 'refused'],
  ['en-US', 'What is this about?', 'waiting'],
  ['en-US', 'I was told on the telephone yesterday that yes is possible.', 'waiting'],
  ['de-DE', 'Ja, gerne.', 'granted'],
  ['de-DE', 'Nein, lieber nicht.', 'refused'],
  ['de-DE', 'Kein Problem!', 'granted'],
  ['es-ES', 'Sí, claro.', 'granted'],
  ['es-MX', 'No, gracias.', 'refused'],
  ['fr-FR', 'Bien sûr.', 'granted'],
  ['fr-FR', "Non, je n'aime pas.", 'refused'],
  ['fr-FR', 'D’accord.', 'granted'],
])('%s: %s → %s', (language, answer, consent) => {
  expect(answered(language, answer)).toBe(consent)
})

it('asks for a clear answer once more, and takes none as a refusal', () => {
  expect(answered('en', 'Who is there?', 'Yes.')).toBe('granted')
  expect(answered('en', 'Who is there?', 'Where is my order?')).toBe('refused')
  expect(answered('en', 'Who is there?', 'Where is my order?', 'Yes.')).toBe('refused')
  expect(answered('en', 'Yes.', 'No, that was wrong.')).toBe('granted')
})

it('waits for the question, and for all of it', () => {
  expect(consentOf([], 'en')).toBe('waiting')
  expect(consentOf([turn('caller', 'Yes?')], 'en')).toBe('waiting')
  expect(consentOf([turn('caller', 'Yes?'), question], 'en')).toBe('waiting')
  expect(consentOf([turn('agent', 'Hello. May', true), turn('caller', 'Yes.')], 'en')).toBe('waiting')
})

it('understands no language that it has no words of', () => {
  expect([...consentLanguages]).toEqual(['en', 'de', 'es', 'fr'])
  expect(answered('fi-FI', 'Yes.')).toBe('waiting')
})
