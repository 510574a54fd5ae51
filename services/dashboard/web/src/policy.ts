import { setNonce } from 'get-nonce'
import { z } from 'zod'

/**
 * Settings that the content security policy requires. This module is the first import of the page: contracts make schemas when
 * they load, and zod would otherwise try `new Function`, which the policy reports as a violation.
 */
z.config({ jitless: true })

/** The nonce of this answer, which the server writes into the page. Style tags that are made later must have it. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

setNonce(styleNonce)
