import type { SimulatedModel } from '../../simulated-model.ts'
import type { Route } from '../wire.ts'
import { anthropicWire } from './anthropic-wire.ts'
import { answerMessages } from './messages.ts'

const serves = ({ provider }: SimulatedModel) => provider === 'sim-anthropic'

/** The routes of Anthropic. */
export const anthropicRoutes: readonly Route[] = [
  { path: '/v1/messages', surface: { wire: anthropicWire, answer: answerMessages, serves } },
]
