import { Anchor, Button, Modal, SegmentedControl, Switch } from '@mantine/core'
import { listAliases } from '@ratchet/contracts/aliases'
import { brandOf } from '@ratchet/contracts/brand'
import { listModels } from '@ratchet/contracts/models'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { useMe } from '../../api/me.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useWorkspaceSlug } from '../../api/use-slug.ts'
import { newId } from '../../clock.ts'
import { useKey, useKeysOf } from '../../keys/key-context.ts'
import { CodeBlock } from '../../kit/code-block.tsx'
import { Icon } from '../../kit/icon.tsx'
import { KeyCaps } from '../../kit/key-caps.tsx'
import { Page } from '../../kit/page.tsx'
import { FailedReads } from '../../kit/states/failed-reads.tsx'
import { Notice } from '../../kit/states/notice.tsx'
import { AnswerColumn } from './answer-column.tsx'
import { type CodeLanguage, codeFor, codeLanguages } from './code.ts'
import { type Draft, readDraft } from './draft.ts'
import styles from './playground.module.css'
import { PromptForm } from './prompt-form.tsx'
import { playgroundTag, useAnswers } from './use-answers.ts'

const route = getRouteApi('/w/$slug/playground')
const maxColumns = 4

/** One conversation, answered by up to four models beside each other. */
export function PlaygroundPage(): ReactNode {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/w/$slug/playground' })
  const change = (changed: Readonly<Record<string, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true })
  const models = (search.models ?? '').split(',').slice(0, maxColumns)
  const setModels = (next: readonly string[]) => change({ models: next.join(',') })
  const [draft, setDraft] = useState(emptyDraft)
  const [problem, setProblem] = useState<string | null>(null)
  const { answers, run, stop, drop } = useAnswers()
  const [graded, setGraded] = useState<string | null>(null)
  const isLogged = search.log !== 'off'
  const isRunning = Object.values(answers).some(({ state }) => state === 'running')
  const send = () => {
    const read = readDraft(draft)
    const isChosen = models.some((model) => model !== '')
    setProblem(read.kind === 'wrong' ? read.message : isChosen ? null : 'Choose a model first.')
    if (read.kind === 'wrong') return
    models.forEach((model, column) => {
      if (model !== '') void run(column, { model, ...read.body }, isLogged)
    })
  }
  const removeLast = () => {
    drop(models.length - 1)
    setModels(models.slice(0, -1))
  }
  useKey('submit', send)
  useKey('playground.stop', () => stop(), { enabled: isRunning })
  useStopOnLeave(stop)
  const { choices, reads } = useChoices()
  const first = answers[0]?.state === 'running' ? null : (answers[0]?.text ?? null)
  return (
    <Page title="Playground" lead="One conversation, answered by up to four models or aliases beside each other.">
      <div className={styles.layout}>
        <div className={styles.prompt}>
          <PromptForm draft={draft} onChange={setDraft} />
          {problem !== null && <Notice state="wrong">{problem}</Notice>}
          <Actions
            draft={draft}
            models={models}
            isLogged={isLogged}
            onLogged={(logged) => change({ log: logged ? undefined : 'off' })}
            isRunning={isRunning}
            onRun={send}
            onStop={() => stop()}
          />
        </div>
        <div className={styles.prompt}>
          <FailedReads of={reads} />
          <ColumnTools
            count={models.length}
            onAdd={() => setModels([...models, ''])}
            isCompared={search.diff === '1'}
            onCompared={(isCompared) => change({ diff: isCompared ? '1' : undefined })}
          />
          <div className={styles.columns}>
            {models.map((model, place) => (
              <AnswerColumn
                key={place}
                place={place}
                model={model}
                choices={choices}
                onModel={(next) => setModels(models.map((each, index) => (index === place ? (next ?? '') : each)))}
                onRemove={place === 0 || place < models.length - 1 ? undefined : removeLast}
                answer={answers[place]}
                onStop={() => stop(place)}
                other={search.diff === '1' && place > 0 ? first : null}
                isGraded={graded !== null && answers[place]?.session === graded}
                onGrade={() => setGraded(answers[place]?.session ?? null)}
              />
            ))}
          </div>
        </div>
      </div>
    </Page>
  )
}

interface ColumnToolsProps {
  readonly count: number
  readonly onAdd: () => void
  readonly isCompared: boolean
  readonly onCompared: (isCompared: boolean) => void
}

function ColumnTools({ count, onAdd, isCompared, onCompared }: ColumnToolsProps): ReactNode {
  return (
    <div className={styles.line}>
      <Button
        variant="default"
        leftSection={<Icon name="plus" size={14} />}
        disabled={count >= maxColumns}
        onClick={onAdd}
      >
        Add a model
      </Button>
      <Switch
        label="Show what differs from the first answer"
        checked={isCompared}
        disabled={count < 2}
        onChange={({ currentTarget }) => onCompared(currentTarget.checked)}
      />
    </div>
  )
}

const emptyDraft = (): Draft => ({
  system: '',
  turns: [{ id: newId(), role: 'user', text: '' }],
  temperature: '',
  maxTokens: '',
  tools: '',
  others: '',
})

/** Nobody reads an answer of a page that was left, so it is not paid for to its end. */
function useStopOnLeave(stop: () => void) {
  const leave = useEffectEvent(stop)
  useEffect(() => () => leave(), [])
}

function useChoices() {
  const models = useEndpoint(listModels)
  const aliases = useEndpoint(listAliases, { query: { limit: 200 } })
  const choices = [
    { group: 'Aliases', items: (aliases.data?.data ?? []).map(({ name }) => name) },
    { group: 'Models', items: (models.data?.data ?? []).map(({ id }) => id) },
  ].filter(({ items }) => items.length > 0)
  return { choices, reads: [models, aliases] }
}

interface ActionsProps {
  readonly draft: Draft
  readonly models: readonly string[]
  readonly isLogged: boolean
  readonly onLogged: (isLogged: boolean) => void
  readonly isRunning: boolean
  readonly onRun: () => void
  readonly onStop: () => void
}

function Actions({ draft, models, isLogged, onLogged, isRunning, onRun, onStop }: ActionsProps): ReactNode {
  const slug = useWorkspaceSlug()
  const keys = useKeysOf('submit')
  const [baseline = '', candidate = ''] = models
  const [showsCode, setShowsCode] = useState(false)
  return (
    <>
      <div className={styles.line}>
        <Button onClick={onRun} rightSection={keys === null ? undefined : <KeyCaps keys={keys} />}>
          Run
        </Button>
        <Button variant="default" disabled={!isRunning} onClick={onStop}>
          Stop
        </Button>
        <Button variant="default" onClick={() => setShowsCode(true)}>
          Code
        </Button>
      </div>
      <div className={styles.line}>
        <Switch
          label="Log these requests"
          checked={isLogged}
          onChange={({ currentTarget }) => onLogged(currentTarget.checked)}
        />
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link {...props} to="/w/$slug/logs" params={{ slug }} search={{ tag: playgroundTag }} />
          )}
        >
          See them in the logs
        </Anchor>
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/w/$slug/evals/new"
              params={{ slug }}
              search={{ tag: playgroundTag, ...compared(baseline, candidate) }}
            />
          )}
        >
          Make an eval of them
        </Anchor>
      </div>
      <Modal opened={showsCode} onClose={() => setShowsCode(false)} title="The same request as code" size="lg">
        <Code draft={draft} model={baseline} isLogged={isLogged} />
      </Modal>
    </>
  )
}

/** Models that are chosen, as the form of a new eval takes them. */
function compared(baseline: string, candidate: string) {
  return { ...(baseline === '' ? {} : { baseline }), ...(candidate === '' ? {} : { candidate }) }
}

interface CodeProps extends Pick<ActionsProps, 'draft' | 'isLogged'> {
  readonly model: string
}

function Code({ draft, model, isLogged }: CodeProps): ReactNode {
  const [language, setLanguage] = useState<CodeLanguage>('curl')
  const { headers: names } = brandOf(useMe().brand_word)
  const read = readDraft(draft)
  if (read.kind === 'wrong') return <Notice state="open">{read.message}</Notice>
  const headers = { [names.tag]: playgroundTag, ...(isLogged ? {} : { [names.log]: 'off' }) }
  const code = codeFor(language, { origin: window.location.origin, body: { model, ...read.body }, headers })
  return (
    <div className={styles.prompt}>
      <SegmentedControl
        aria-label="Language"
        data={[...codeLanguages]}
        value={language}
        onChange={(value) => setLanguage(value as CodeLanguage)}
      />
      <CodeBlock code={code} label={`The request in ${language}`} />
    </div>
  )
}
