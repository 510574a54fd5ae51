import { createMemoryResponses } from './memory-responses.ts'
import { responsesContract } from './responses.contract.ts'

responsesContract('responses in memory', createMemoryResponses)
