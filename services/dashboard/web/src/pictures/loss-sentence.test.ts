import { lossSentence, lossText } from './loss-sentence.ts'

const train = [
  { step: 1, loss: 2.5 },
  { step: 2, loss: 0.8 },
  { step: 1_200, loss: 0.9 },
]

it('says where both losses began, where they are and where they were lowest', () => {
  expect(lossSentence({ train, valid: [{ step: 600, loss: 1.1 }], totalSteps: 3_000 })).toBe(
    'Loss over 1,200 of 3,000 steps: training from 2.500 to 0.900, lowest 0.800 at step 2; validation 1.100 at step 600.',
  )
})

it('leaves out what was not measured', () => {
  expect(lossSentence({ train, valid: [], totalSteps: null })).toBe(
    'Loss over 1,200 steps: training from 2.500 to 0.900, lowest 0.800 at step 2.',
  )
  expect(lossSentence({ train: [], valid: [], totalSteps: 10 })).toBe('No loss was measured yet.')
})

it('has no decimals of large numbers', () => {
  expect([lossText(0.12345), lossText(1_234.5)]).toEqual(['0.123', '1235'])
})
