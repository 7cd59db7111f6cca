;; Unescapes a piece of a JSON string, at most 16 384 bytes. The piece is at 0, what it stands for goes to 0x4000. A few
;; bytes more may be written behind that, but never more in all than the piece has. `unescape` takes the length of the
;; piece and gives how many of its bytes it has read and how many it has written. It stops before a quote, a control
;; character, an escape that the piece cuts off, and an escape that is not one letter.
;;
;; unescape-module.ts holds this file assembled; its test assembles it again.
(module
  (memory (export "memory") 1 1)

  ;; At 0x8000 and the byte of a letter: what the escape stands for (RFC 8259 §7), or 0.
  (data (i32.const 0x8022) "\"")
  (data (i32.const 0x802f) "/")
  (data (i32.const 0x805c) "\\")
  (data (i32.const 0x8062) "\08")
  (data (i32.const 0x8066) "\0c")
  (data (i32.const 0x806e) "\0a")
  (data (i32.const 0x8072) "\0d")
  (data (i32.const 0x8074) "\09")

  ;; For eight bytes, by a mask of those that are left out: which of them are kept, as indices. At 0x8100 for the first
  ;; eight of 16 bytes, at 0x8900 for the others.
  (func $listKept
    (local $mask i32)
    (local $byte i32)
    (local $to i32)
    (loop $nextMask
      (local.set $to (i32.shl (local.get $mask) (i32.const 3)))
      (local.set $byte (i32.const 0))
      (loop $nextByte
        (i32.store8 offset=0x8100 (local.get $to) (local.get $byte))
        (i32.store8 offset=0x8900 (local.get $to) (i32.add (local.get $byte) (i32.const 8)))
        (local.set $to
          (i32.add
            (local.get $to)
            (i32.eqz (i32.and (i32.shr_u (local.get $mask) (local.get $byte)) (i32.const 1)))))
        (local.set $byte (i32.add (local.get $byte) (i32.const 1)))
        (br_if $nextByte (i32.lt_u (local.get $byte) (i32.const 8))))
      (local.set $mask (i32.add (local.get $mask) (i32.const 1)))
      (br_if $nextMask (i32.lt_u (local.get $mask) (i32.const 256)))))
  (start $listKept)

  (func (export "unescape") (param $end i32) (result i32 i32)
    (local $at i32)
    (local $to i32)
    (local $isEscaped i32) ;; 1 when the byte before $at begins an escape that is not written yet
    (local $byte i32)
    ;; 16 bytes, which of them are quotes and backslashes, which are the letter of an escape, and what it stands for.
    (local $bytes v128)
    (local $quotes v128)
    (local $backslashes v128)
    (local $letters v128)
    (local $plain v128)
    ;; As bits, bit 0 for the first byte: backslashes, those that are not the letter of an escape before these bytes,
    ;; those that begin an escape, and these of the first eight bytes.
    (local $backslashMask i32)
    (local $rows i32)
    (local $escapes i32)
    (local $firstEscapes i32)
    ;; Constants: V8 makes them anew in each turn of a loop unless they are locals.
    (local $quote v128)
    (local $backslash v128)
    (local $slash v128)
    (local $space v128)
    (local $zero v128)
    (local $from60 v128)
    (local $plainFrom60 v128)
    (local $from70 v128)
    (local $plainFrom70 v128)
    (local $halves v128)
    (local $bits v128)
    (local.set $quote (i8x16.splat (i32.const 0x22)))
    (local.set $backslash (i8x16.splat (i32.const 0x5c)))
    (local.set $slash (i8x16.splat (i32.const 0x2f)))
    (local.set $space (i8x16.splat (i32.const 0x20)))
    (local.set $from60 (i8x16.splat (i32.const 0x60)))
    (local.set $plainFrom60 (v128.load (i32.const 0x8060)))
    (local.set $from70 (i8x16.splat (i32.const 0x70)))
    (local.set $plainFrom70 (v128.load (i32.const 0x8070)))
    (local.set $halves (v128.const i8x16 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1))
    (local.set $bits (v128.const i8x16 1 2 4 8 16 32 64 128 1 2 4 8 16 32 64 128))
    (local.set $to (i32.const 0x4000))
    (block $byOne
      (loop $by16
        (br_if $byOne (i32.ge_u (i32.add (local.get $at) (i32.const 16)) (local.get $end)))
        (local.set $bytes (v128.load (local.get $at)))
        (local.set $quotes (i8x16.eq (local.get $bytes) (local.get $quote)))
        (local.set $backslashes (i8x16.eq (local.get $bytes) (local.get $backslash)))
        (local.set $backslashMask (i8x16.bitmask (local.get $backslashes)))

        (if (i32.eqz (i32.or (local.get $backslashMask) (local.get $isEscaped)))
          (then
            (br_if $byOne
              (v128.any_true
                (v128.or (local.get $quotes) (i8x16.lt_u (local.get $bytes) (local.get $space)))))
            (v128.store (local.get $to) (local.get $bytes))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (local.set $to (i32.add (local.get $to) (i32.const 16)))
            (br $by16)))

        ;; Of backslashes in a row, the first, third and so on begin an escape. These, and the letter behind a row of
        ;; odd length, are left when a row is subtracted from itself moved up by one: with all odd bits set, rows that
        ;; begin at odd and at even bits give the same.
        (local.set $rows
          (i32.and (local.get $backslashMask) (i32.xor (local.get $isEscaped) (i32.const -1))))
        (local.set $escapes
          (i32.xor
            (i32.sub
              (i32.or (i32.shl (local.get $rows) (i32.const 1)) (i32.const 0xaaaaaaaa))
              (local.get $rows))
            (i32.const 0xaaaaaaaa)))
        (local.set $letters
          (i8x16.eq
            (v128.and
              (i8x16.swizzle
                (i16x8.splat
                  (i32.xor (local.get $escapes) (i32.or (local.get $backslashMask) (local.get $isEscaped))))
                (local.get $halves))
              (local.get $bits))
            (local.get $bits)))
        (local.set $escapes (i32.and (local.get $escapes) (local.get $backslashMask)))

        (local.set $plain
          (v128.or
            (v128.and
              (local.get $bytes)
              (v128.or
                (v128.or (local.get $quotes) (local.get $backslashes))
                (i8x16.eq (local.get $bytes) (local.get $slash))))
            (v128.or
              (i8x16.swizzle (local.get $plainFrom60) (i8x16.sub (local.get $bytes) (local.get $from60)))
              (i8x16.swizzle (local.get $plainFrom70) (i8x16.sub (local.get $bytes) (local.get $from70))))))
        (br_if $byOne
          (v128.any_true
            (v128.or
              (i8x16.lt_u (local.get $bytes) (local.get $space))
              (v128.or
                (v128.andnot (local.get $quotes) (local.get $letters))
                (v128.and (local.get $letters) (i8x16.eq (local.get $plain) (local.get $zero)))))))
        (local.set $isEscaped (i32.shr_u (local.get $escapes) (i32.const 15)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))

        ;; Without the backslashes that begin an escape: eight bytes, then the others over what is left of them.
        (local.set $firstEscapes (i32.and (local.get $escapes) (i32.const 0xff)))
        (local.set $bytes
          (i8x16.swizzle
            (v128.bitselect (local.get $plain) (local.get $bytes) (local.get $letters))
            (v128.load64_lane offset=0x8900 1
              (i32.shl (i32.shr_u (local.get $escapes) (i32.const 8)) (i32.const 3))
              (v128.load64_zero offset=0x8100 (i32.shl (local.get $firstEscapes) (i32.const 3))))))
        (v128.store64_lane 0 (local.get $to) (local.get $bytes))
        (v128.store64_lane offset=8 1
          (i32.sub (local.get $to) (i32.popcnt (local.get $firstEscapes)))
          (local.get $bytes))
        (local.set $to
          (i32.sub (i32.add (local.get $to) (i32.const 16)) (i32.popcnt (local.get $escapes))))
        (br $by16)))

    ;; The last bytes, or those before what stops it.
    (local.set $at (i32.sub (local.get $at) (local.get $isEscaped)))
    (block $stop
      (loop $nextByte
        (br_if $stop (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $byte (i32.load8_u (local.get $at)))
        (if (i32.eq (local.get $byte) (i32.const 0x5c))
          (then
            (br_if $stop (i32.ge_u (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
            (local.set $byte (i32.load8_u offset=0x8000 (i32.load8_u offset=1 (local.get $at))))
            (br_if $stop (i32.eqz (local.get $byte)))
            (local.set $at (i32.add (local.get $at) (i32.const 1))))
          (else
            (br_if $stop (i32.eq (local.get $byte) (i32.const 0x22)))
            (br_if $stop (i32.lt_u (local.get $byte) (i32.const 0x20)))))
        (i32.store8 (local.get $to) (local.get $byte))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))
        (br $nextByte)))
    (local.get $at)
    (i32.sub (local.get $to) (i32.const 0x4000))))
