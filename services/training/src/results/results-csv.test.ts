import { resultLines, resultsHeader } from './results-csv.ts'

it('has the columns of OpenAI, and leaves out what is not known', () => {
  const steps = [
    { step: 1, values: { train_loss: 2.5, train_mean_token_accuracy: 0.4, learning_rate: 1e-4 } },
    { step: 2, values: { train_loss: null, valid_loss: 1e-7, valid_mean_token_accuracy: 1 } },
  ]
  expect(`${resultsHeader}${resultLines(steps)}`).toBe(
    'step,train_loss,train_accuracy,valid_loss,valid_mean_token_accuracy\n1,2.5,0.4,,\n2,,,1e-7,1\n',
  )
})
