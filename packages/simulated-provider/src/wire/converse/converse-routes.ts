import type { SimulatedModel } from '../../simulated-model.ts'
import type { Route } from '../wire.ts'
import { answerConverse, answerConverseStream } from './converse.ts'
import { converseWire } from './converse-wire.ts'

const serves = ({ provider }: SimulatedModel) => provider === 'sim-bedrock'

/** What Amazon Bedrock serves. */
export const converseRoutes: readonly Route[] = [
  {
    path: /^\/model\/(?<model>[^/]+)\/converse$/,
    surface: { wire: converseWire, answer: answerConverse, serves },
  },
  {
    path: /^\/model\/(?<model>[^/]+)\/converse-stream$/,
    surface: { wire: converseWire, answer: answerConverseStream, serves },
  },
]
