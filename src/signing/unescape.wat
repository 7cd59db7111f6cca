;; Unescapes a piece of a JSON string, 16 bytes at a time. The piece is at 0, what it stands for goes to 0x4000; 15 bytes
;; behind both may be read and written. `unescape` takes the length of the piece and gives how many of its bytes it has
;; read and how many it has written. It stops before a quote, a control character, an escape that the piece cuts off,
;; and an escape that is not one letter.
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

  (func (export "unescape") (param $end i32) (result i32 i32)
    (local $at i32)
    (local $to i32)
    (local $run i32)
    (local $left i32)
    (local $plain i32)
    (local $bytes v128)
    (local.set $to (i32.const 0x4000))
    (block $stop
      (loop $next
        (br_if $stop (i32.ge_u (local.get $at) (local.get $end)))

        ;; 16 bytes are copied; those up to the first that is not plain count.
        (local.set $bytes (v128.load (local.get $at)))
        (v128.store (local.get $to) (local.get $bytes))
        (local.set $run
          (i32.ctz
            (i32.or
              (i32.const 0x10000)
              (i8x16.bitmask
                (v128.or
                  (v128.or
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22)))
                    (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x5c))))
                  (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20))))))))
        (local.set $left (i32.sub (local.get $end) (local.get $at)))
        (if (i32.gt_u (local.get $run) (local.get $left)) (then (local.set $run (local.get $left))))
        (local.set $at (i32.add (local.get $at) (local.get $run)))
        (local.set $to (i32.add (local.get $to) (local.get $run)))
        (br_if $next (i32.eq (local.get $run) (i32.const 16)))

        (br_if $stop (i32.ge_u (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
        (br_if $stop (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x5c)))
        (local.set $plain (i32.load8_u offset=0x8000 (i32.load8_u offset=1 (local.get $at))))
        (br_if $stop (i32.eqz (local.get $plain)))
        (i32.store8 (local.get $to) (local.get $plain))
        (local.set $at (i32.add (local.get $at) (i32.const 2)))
        (local.set $to (i32.add (local.get $to) (i32.const 1)))
        (br $next)))
    (local.get $at)
    (i32.sub (local.get $to) (i32.const 0x4000))))
