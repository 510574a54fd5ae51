import type { SimulatedModel } from '../../simulated-model.ts'
import type { Route } from '../wire.ts'
import { answerConverse, answerConverseStream } from './converse.ts'
import { converseWire } from './converse-wire.ts'

const serves = ({ provider }: SimulatedModel) => provider === 'sim-bedrock'

/** The routes of Amazon Bedrock. */
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
