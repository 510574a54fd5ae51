import { Modal, Title } from '@mantine/core'
import { type ReactNode, useContext } from 'react'
import { KeyContext } from '../keys/key-context.ts'
import { KeyCaps } from '../kit/key-caps.tsx'
import styles from './key-sheet.module.css'

/** All keys, by group, as they work for this person. */
export function KeySheet({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { bindings } = useContext(KeyContext)
  const groups = [...new Set(bindings.map(({ group }) => group))]
  return (
    <Modal opened onClose={onClose} title="Keys" size="lg">
      <div className={styles.groups}>
        {groups.map((group) => (
          <section key={group}>
            <Title order={3} mb={6}>
              {group}
            </Title>
            <dl className={styles.keys}>
              {bindings
                .filter((binding) => binding.group === group)
                .map(({ id, label, active }) => (
                  <div key={id}>
                    <dt>{label}</dt>
                    <dd>{active === null ? <span className="dimmed">off</span> : <KeyCaps keys={active} />}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
