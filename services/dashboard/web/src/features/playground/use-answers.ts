import { useCallback, useReducer, useRef } from 'react'
import { useMe } from '../../api/me.ts'
import { streamChat } from '../../api/stream-call.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { newId, now } from '../../clock.ts'
import { type Answer, type AnswerEvent, answerAfter, startedAnswer } from './answer.ts'

/** Requests of the playground have this tag, so that judges and evals can leave them out. */
export const playgroundTag = 'playground'

type Answers = Readonly<Record<number, Answer>>
type Event = AnswerEvent | { readonly kind: 'start'; readonly session: string } | { readonly kind: 'drop' }
type Change = { readonly column: number; readonly event: Event }

/** The answers by column. Each column is a request of its own: an error of one does not end the others. */
export function useAnswers() {
  const slug = useWorkspaceSlug()
  const { brand_word: brandWord } = useMe()
  const [answers, dispatch] = useReducer(afterChange, {})
  const running = useRef(new Map<number, AbortController>())

  const stop = useCallback((column?: number) => {
    for (const [each, controller] of running.current) if (column === undefined || each === column) controller.abort()
  }, [])
  const run = async (column: number, body: Readonly<Record<string, unknown>>, isLogged: boolean) => {
    stop(column)
    const controller = new AbortController()
    running.current.set(column, controller)
    const { signal } = controller
    const startedMs = now()
    const session = `${playgroundTag}-${newId()}`
    const publish = (event: Event) => {
      if (running.current.get(column) === controller) dispatch({ column, event })
    }
    publish({ kind: 'start', session })
    try {
      await streamChat({
        slug,
        brandWord,
        body,
        isLogged,
        signal,
        tag: playgroundTag,
        session,
        onHead: (head) => publish({ kind: 'head', head }),
        onPart: (part) => publish({ kind: 'part', part, atMs: now() - startedMs }),
      })
      publish({ kind: 'end', state: 'done', atMs: now() - startedMs })
    } catch (error) {
      const atMs = now() - startedMs
      publish(signal.aborted ? { kind: 'end', state: 'stopped', atMs } : { kind: 'failed', error, atMs })
    }
  }
  const drop = (column: number) => {
    stop(column)
    running.current.delete(column)
    dispatch({ column, event: { kind: 'drop' } })
  }
  return { answers, run, stop, drop }
}

function afterChange(answers: Answers, { column, event }: Change): Answers {
  const { [column]: answer, ...others } = answers
  if (event.kind === 'drop') return others
  if (event.kind === 'start') return { ...others, [column]: startedAnswer(event.session) }
  return answer === undefined ? answers : { ...others, [column]: answerAfter(answer, event) }
}
