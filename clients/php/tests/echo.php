<?php

declare(strict_types=1);

// Answers with what arrived; some paths answer as the gateway does.

$body = (string) file_get_contents('php://input');
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
header('Content-Type: application/json');
header('X-Shown: yes');
if ($path === '/redirect') {
    http_response_code(302);
    header('Location: /elsewhere');
} elseif ($path === '/limited') {
    http_response_code(429);
    header('Retry-After: 2');
    echo '{"code":"RATE_LIMITED","message":"Too many requests.","requestId":"r"}';
} elseif ($path === '/token') {
    $token = md5($_SERVER['HTTP_AUTHORIZATION'] . $body);
    echo json_encode(['access_token' => $token, 'token_type' => 'bearer', 'expires_in' => 3600]);
} else {
    echo json_encode([
        'method' => $_SERVER['REQUEST_METHOD'],
        'target' => $_SERVER['REQUEST_URI'],
        'headers' => array_change_key_case(getallheaders()),
        'body' => $body,
    ]);
}
