import { lossPointsOf } from './loss-points.ts'

it('takes the training loss of steps, and the validation loss of steps and of checkpoints', () => {
  const metrics = [
    { step: 2, values: { train_loss: 1.5 } },
    { step: 1, values: { train_loss: 2.5, grad_norm: 1 } },
    { step: 3, values: { train_loss: null, valid_loss: 1.7 } },
  ]
  const checkpoints = [
    { step_number: 4, metrics: { train_loss: 1.2, valid_loss: 1.4 } },
    { step_number: 3, metrics: { valid_loss: 1.69 } },
  ]
  expect(lossPointsOf(metrics, checkpoints)).toEqual({
    train: [
      { step: 1, loss: 2.5 },
      { step: 2, loss: 1.5 },
    ],
    valid: [
      { step: 3, loss: 1.7 },
      { step: 4, loss: 1.4 },
    ],
  })
})

it('has no points of a job that has not begun', () => {
  expect(lossPointsOf([], [])).toEqual({ train: [], valid: [] })
})
