import { Kbd } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { keyCaps } from '../keys/bindings.ts'

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Keys as small key caps. */
export function KeyCaps({ keys }: { readonly keys: string }): ReactNode {
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {keyCaps(keys, isMac).map((press, index) => (
        <Fragment key={index}>
          {index > 0 && <span className="dimmed"> then </span>}
          {press.map((cap) => (
            <Kbd key={cap} size="xs" mr={2}>
              {cap}
            </Kbd>
          ))}
        </Fragment>
      ))}
    </span>
  )
}
