// Forty texts that a model or a kernel may write, and that must stay texts.
const kLong = `${'A'.repeat(20000)} <b>end</b>`

export const kHostile = [
  '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<svg onload=alert(1)>', '"><script>alert(1)</script>',
  "'><img src=x onerror=alert(1)>", '<iframe src="http://evil.example/"></iframe>', '<link rel=stylesheet href=http://evil.example/x.css>',
  '<base href="http://evil.example/">', '<meta http-equiv=refresh content="0;url=http://evil.example/">', '<a href="javascript:alert(1)">x</a>',
  'javascript:alert(1)', 'data:text/html,<script>alert(1)</script>', '{@html "<b>x</b>"}', '{{constructor.constructor("alert(1)")()}}',
  '${alert(1)}', '`${alert(1)}`', '</textarea><script>alert(1)</script>', '</title><script>alert(1)</script>', '</style><script>alert(1)</script>',
  '<!--<script>alert(1)//-->', ']]><script>alert(1)</script>', '<style>*{display:none}</style>', '<form action=http://evil.example/><input name=token></form>',
  '<object data="http://evil.example/"></object>', '<math><mtext></p><img src=x onerror=alert(1)>', '![x](http://evil.example/x.png)', '[x](javascript:alert(1))',
  '\u202Egnp.exe\u202C reversed', '\u2066isolated\u2069', 'zero\u200Bwidth\u200Djoin\uFEFF', 'null\u0000byte', '\u001b[2J\u001b[31mansi\u001b]8;;http://evil.example/\u0007link',
  '\ud800 lone surrogate', '../../../etc/passwd', '__proto__', 'constructor', '%00%2e%2e%2f', '\u0301'.repeat(300), kLong, '<x onclick=alert(1) style=position:fixed;inset:0>click</x>',
]
