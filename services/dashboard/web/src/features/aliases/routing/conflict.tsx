import { Button, Group } from '@mantine/core'
import type { Alias } from '@ratchet/contracts/aliases'
import { type ReactNode, useEffect, useRef } from 'react'
import { usePeople } from '../../../api/use-people.ts'
import { Card } from '../../../kit/page.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import styles from '../aliases.module.css'
import type { Disagreement } from './merge-values.ts'

interface ConflictProps {
  readonly base: Alias
  readonly theirs: Alias
  readonly found: readonly Disagreement[]
  readonly onMerge: () => void
  readonly onDiscard: () => void
}

const marks = { both: 'you both changed it', them: 'only they changed it', me: 'only you changed it' } as const

/** Somebody else changed the alias while it was edited here: both versions beside each other, and nothing typed is lost. */
export function Conflict({ base, theirs, found, onMerge, onDiscard }: ConflictProps): ReactNode {
  const personOf = usePeople()
  const top = useRef<HTMLDivElement>(null)
  // The button that was pressed may be far below.
  useEffect(() => {
    top.current?.scrollIntoView({ block: 'center' })
  }, [])
  const who = theirs.updated_by === 'gate' ? 'the gate' : personOf(theirs.updated_by)
  return (
    <Card title="Changed meanwhile">
      <div className={styles.stack}>
        <div role="alert" ref={top}>
          <Notice state="borderline">
            This alias has version {theirs.version} now, by {who}, <TimeText at={theirs.updated_at} />. Your form began
            with version {base.version}. What you typed is still there.
          </Notice>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls sideways on phones, so the keyboard must reach it. */}
        <section className={styles.scroll} tabIndex={0} aria-label="Both versions">
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Setting</th>
                <th scope="col">Version {base.version}</th>
                <th scope="col">Version {theirs.version}, saved</th>
                <th scope="col">Yours, not saved</th>
              </tr>
            </thead>
            <tbody>
              {found.map((each) => (
                <tr key={each.name}>
                  <th scope="row">
                    {each.label}
                    <div className="dimmed">{marks[each.by]}</div>
                  </th>
                  <td>{each.base}</td>
                  <td>{each.theirs}</td>
                  <td>{each.mine}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <Group gap={8}>
          <Button onClick={onMerge}>Put my changes on version {theirs.version}</Button>
          <Button variant="default" onClick={onDiscard}>
            Discard mine
          </Button>
        </Group>
        <p className={`dimmed ${styles.line}`}>
          Nothing is saved yet: settings that only they changed stay as they saved them, and you see the difference
          before you save.
        </p>
      </div>
    </Card>
  )
}
