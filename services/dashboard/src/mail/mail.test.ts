import { capReachedMail, invitationMail, lowWalletMail, resetMail } from './mail.ts'

const link = 'https://ratchet.example/invite/abc'

it('has one link, which is the one that was made, whatever people call a workspace or themselves', () => {
  const hostile = 'Acme\r\nBcc: all@evil.example\n\nhttps://evil.example/?a <b>now</b>'
  const mail = invitationMail({ to: 'ann@example.com', workspace: hostile, inviter: hostile, link })
  expect(mail.text.match(/https?:\S+/g)).toEqual([link])
  expect(mail.text).not.toMatch(/evil\.example|[<>]/)
  expect(mail.subject).not.toMatch(/[\r\n]/)
})

it('keeps names of all scripts', () => {
  const { subject } = invitationMail({ to: 'ann@example.com', workspace: "Zoë & Жук's (東京)", inviter: 'A', link })
  expect(subject).toBe("Invitation to Zoë & Жук's (東京)")
})

it('says what is in the wallet, and leads to its page', () => {
  const page = 'https://ratchet.example/w/acme/billing'
  const mail = lowWalletMail({ to: 'ann@example.com', workspace: 'Acme', available: '0.5', threshold: '5', page })
  for (const word of ['0.5 US dollars', 'less than 5.', page]) expect(mail.text).toContain(word)
  const capped = capReachedMail({
    to: 'ann@example.com',
    workspace: 'Acme',
    judge: 'a\nhttp://b.example',
    cap: '2',
    page,
  })
  for (const word of ['2 US dollars a week', page]) expect(capped.text).toContain(word)
  expect(capped.text).not.toContain('b.example')
  expect(resetMail({ to: 'ann@example.com', link }).text).toContain(link)
})
