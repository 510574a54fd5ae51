import { ReadableError } from '../terminal/readable-error.ts'
import { answerCalls } from './helper-process.ts'

const functions = {
  double: async (number: number) => number * 2,
  refuse: (message: string) => {
    throw new ReadableError(message)
  },
  fail: (message: string) => {
    throw new TypeError(message)
  },
  end: () => process.exit(1),
} as const

export type FixtureFunctions = typeof functions

answerCalls(functions)
